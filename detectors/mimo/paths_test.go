package mimo

import (
	"testing"

	"groundhog/detectors/detectortest"
)

func TestFamily(t *testing.T) { detectortest.Family(t, "testdata", Family) }
