package kocoro

// What the tests of package kocoro_test see of this one: the reference there must
// share no code with what it is the referee of.

type (
	GoldenCall    = goldenCall
	GoldenVerdict = goldenVerdict
)

var (
	ReplayCalls = replayCalls

	AppendArguments   = appendArguments
	ArgumentsString   = argumentsString
	IsEmptyThink      = isEmptyThink
	IsFruitless       = isFruitless
	IsReadMCPName     = isReadMCPName
	IsSleep           = isSleep
	NormalizeJSON     = normalizeJSON
	NormalizeWebQuery = normalizeWebQuery
	ResultSignature   = resultSignature
)

const ValidationMarker = validationMarker

// FamilyOf is the name of a tool's family in July 2026.
func FamilyOf(tool string) string { return familyNames[revisions["4ec6772"].family(tool)] }
