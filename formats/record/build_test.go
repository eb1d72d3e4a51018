package record_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"groundhog/formats/record"
)

// What is built is JSON and reads as what was put in, whatever the texts are.
func TestBuilder(t *testing.T) {
	type pair struct {
		text string
		n    int64
		wait time.Duration
		list []string
	}
	shape := record.NewShape(
		record.String("text", func(p *pair) *string { return &p.text }),
		record.Int("n", func(p *pair) *int64 { return &p.n }),
		record.Millis("wait", func(p *pair) *time.Duration { return &p.wait }),
		record.Strings("list", func(p *pair) *[]string { return &p.list }),
	).From(pair{wait: -1}).Strict()
	rapid.Check(t, func(t *rapid.T) {
		want := pair{
			bytesOfAnyKind.Draw(t, "text"), rapid.Int64().Draw(t, "n"),
			time.Duration(rapid.Int64Range(-1, 1<<50).Draw(t, "wait")), rapid.SliceOf(bytesOfAnyKind).Draw(t, "list"),
		}
		var b record.Builder
		b.Open('{')
		b.Str("text", want.text)
		b.Some("n", want.n)
		b.Millis("wait", want.wait)
		b.Key("list")
		b.Open('[')
		for _, s := range want.list {
			b.Quote(s)
		}
		b.Close(']')
		b.Time("never", time.Time{})
		b.Close('}')
		var got pair
		if err := shape.Parse(b.Buf, &got); err != nil {
			t.Fatalf("%s: %v", b.Buf, err)
		}
		if want.wait < 0 {
			want.wait = -1
		}
		same := got.text == want.text && got.n == want.n && got.wait == want.wait && len(got.list) == len(want.list)
		for i := range got.list {
			same = same && got.list[i] == want.list[i]
		}
		if !same {
			t.Errorf("%+v was built as %s and read as %+v", want, b.Buf, got)
		}
	})
}
