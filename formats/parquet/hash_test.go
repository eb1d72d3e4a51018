package parquet_test

import (
	"os"
	"testing"

	"groundhog/formats/parquet"
)

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestArgsHash(t *testing.T) {
	equal := func(want bool, a, b string) {
		t.Helper()
		if got := parquet.ArgsHash(a) == parquet.ArgsHash(b); got != want {
			t.Errorf("%s and %s have one hash: %v", a, b, got)
		}
	}
	equal(true, `{"a":1,"b":[true, null]}`, "{ \"b\" : [true,null],\n\"a\":1}")
	equal(true, `{"a":"é\/"}`, `{"a":"é/"}`)
	equal(false, `{"a":1}`, `{"a":1.0}`) // numbers as they are written
	equal(false, `{"a":12345678901234567890}`, `{"a":12345678901234567891}`)
	equal(false, `{"a":"1"}`, `{"a":1}`)
	equal(false, `not json`, `not  json`)
	equal(false, `{"a":1,"a":2}`, `{"a":2}`)
	equal(false, "\"\xff\"", "\"\xfe\"")
	equal(false, `"\ud800"`, `"\ud801"`)
	equal(false, "", "null")
	// The function is part of the format.
	if got, want := parquet.ArgsHash(`{"command":"go test ./..."}`), int64(-6212213720088866317); got != want {
		t.Errorf("args_hash is %d, want %d", got, want)
	}
}

func TestNormalise(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"  a \t\n b\r\n", "a b"},
		{"ok  \tpkg 0.512s", "ok pkg 0.0s"},
		{"finished in 12 ms, 3 tests", "finished in 0 ms, 0 tests"},
		{"pid 4711 and pid 99", "pid 0 and pid 0"},
		{"/tmp/go-build3141592/b001", "/tmp/go-build0/b0"},
		{"commit 3ece2d4f9a, then deadbeef", "commit #, then deadbeef"},
		{"20261130", "0"},
		{"id 6f9619ff-8b86-d011-b42d-00cf4fc964ff.", "id #."},
		{"6f9619ff-8b86-d011-b42d-00cf4fc964ffx", "#-0b0-d0-b0d-0cf0fc0ffx"},
		{"日本語 12 \xff", "日本語 0 \xff"},
	} {
		if got := parquet.Normalise(test.in); got != test.want {
			t.Errorf("normalise(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}
