package record_test

import (
	"testing"

	"groundhog/formats/record"
)

func TestOutline(t *testing.T) {
	r := record.Outlines([]byte(`{"t":"step","n":1,"s":"a\ud83d","o":{"x":{"y":"z"}},"l":[{"a":1},2,{"b":2},{"c":3}],"nil":null,"cut":{"k":"v","half":"abc`), 1)[0]
	if r.Cut != "cut" {
		t.Errorf("cut in %q, want cut", r.Cut)
	}
	for field, want := range map[string]string{"t": "step", "n": "", "s": "a" + high, "o": "", "nil": "", "none": "", "cut": ""} {
		if got := r.Str(field); got != want {
			t.Errorf("Str(%s) = %q, want %q", field, got, want)
		}
	}
	if !r.Has("t", "nil", "cut") || r.Has("t", "none") {
		t.Error("Has is wrong about what is there")
	}
	if got := r.Obj("o").Obj("x").Str("y"); got != "z" {
		t.Errorf("o.x.y = %q, want z", got)
	}
	if got := r.Obj("none").Str("y"); got != "" {
		t.Errorf("a field of nothing is %q", got)
	}
	if cut := r.Obj("cut"); cut.Str("k") != "v" || cut.Str("half") != "" || cut.Cut != "half" {
		t.Errorf("cut object: %v", cut)
	}
	if got := r.Elems("l", 2); len(got) != 2 || !got[0].Has("a") || !got[1].Has("b") {
		t.Errorf("first two elements: %v", got)
	}
	if got := r.Elems("t", 2); got != nil {
		t.Errorf("elements of a string: %v", got)
	}
	cut := record.Outlines([]byte(`{"l":[{"a":"x"},{"b":"y","c":`), 1)[0].Elems("l", 9)
	if len(cut) != 2 || cut[1].Str("b") != "y" || cut[1].Cut != "c" {
		t.Errorf("cut array: %v", cut)
	}
}

// What is looked into once is not read again, and a longer look sees more.
func TestOutlineLooksFurther(t *testing.T) {
	r := record.Outlines([]byte(`{"l":[{"a":1},{"b":2},{"c":3}]}`), 1)[0]
	for _, n := range []int{1, 3, 2, 9} {
		if got := len(r.Elems("l", n)); got != min(n, 3) {
			t.Errorf("%d of the first %d elements", got, n)
		}
	}
}
