package stream_test

import (
	"strings"
	"testing"

	"groundhog/formats"
	"groundhog/formats/formattest"
	"groundhog/formats/stream"
)

func BenchmarkDeltas(b *testing.B) {
	text := strings.Repeat(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}`+"\n\n", 100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for u, err := range stream.OpenAI.Find(formattest.File(text), formats.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			for range u.Steps() {
			}
		}
	}
}
