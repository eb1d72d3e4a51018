package parquet_test

import (
	"bytes"
	"io"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/parquet"
	"groundhog/replay/transcript"
)

// Sessions of the size of real ones: 20 calls with results of 900 bytes.
func BenchmarkWrite(b *testing.B) {
	var sessions []*transcript.Session
	var steps [][]*transcript.Step
	many(1000, 20, 900, func(s *transcript.Session, list []*transcript.Step) {
		sessions, steps = append(sessions, s), append(steps, list)
	})
	for b.Loop() {
		w := parquet.NewWriter(io.Discard, io.Discard)
		for i, s := range sessions {
			w.Begin(s)
			for _, step := range steps[i] {
				w.Step(step)
			}
			w.End(s)
		}
		w.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/call")
}

func BenchmarkRead(b *testing.B) {
	var events bytes.Buffer
	w := parquet.NewWriter(io.Discard, &events)
	many(1000, 20, 900, func(s *transcript.Session, list []*transcript.Step) {
		w.Begin(s)
		for _, step := range list {
			w.Step(step)
		}
		w.End(s)
	})
	w.Close()
	f := formattest.File(events.String())
	for b.Loop() {
		for u, err := range parquet.Format.Find(f, formats.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			for _, err := range u.Steps() {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20_000, "ns/call")
}
