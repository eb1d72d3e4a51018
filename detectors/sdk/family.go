package sdk

import "groundhog/detectors/family"

// Family is the retry policies of client libraries, and of agents of which nothing
// else is known here.
var Family = family.Family{
	Name:            "sdk",
	Title:           "client libraries",
	Policies:        Policies,
	DefaultPolicies: []string{"openai-sdk", "anthropic-sdk", "vercel-ai"},
}
