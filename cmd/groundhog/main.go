// Command groundhog replays recorded agent sessions through loop detectors. A build
// with detectors, presets or formats of one's own is this file with other lists.
package main

import (
	"os"

	"groundhog/cmd/cli"
	detectors "groundhog/detectors/catalog"
	formats "groundhog/formats/catalog"
)

func main() {
	os.Exit(cli.Main(cli.Options{Families: detectors.All(), Formats: formats.All}))
}
