// Command groundhog replays recorded agent sessions through loop detectors.
// A build with detectors, presets or formats of one's own is this file with
// other lists.
package main

import (
	"os"

	"groundhog/cmd/cli"
	detectors "groundhog/detectors/catalog"
	formats "groundhog/formats/catalog"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Options{
		Detectors: detectors.Detectors,
		Presets:   detectors.Presets,
		Default:   detectors.Default,
		Demo:      detectors.SideBySide,
		DemoApart: detectors.Apart,
		Removed:   detectors.Removed,
		Formats:   formats.All,

		Policies:        detectors.Policies,
		DefaultPolicies: detectors.DefaultPolicies,
	}))
}
