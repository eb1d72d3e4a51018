// Package record reads and writes the JSON of recordings: lines of logs, pieces
// of streams, files that are one large value. Every reader takes its JSON from
// here, and only this package knows a JSON library.
//
// Recorded JSON is not the JSON of a specification. Crashed writers glue two
// records together or stop in the middle of one, Python writes NaN, names repeat,
// characters are cut in half, and a single result may have megabytes of which a
// reader wants ten bytes. This package accepts all that and says in plain words
// what it cannot accept.
//
// # Writing a reader
//
// A reader declares once which members of a record it wants and where they go:
//
//	type entry struct {
//		kind string
//		at   time.Time
//		name string
//		args record.Value
//	}
//
//	var entryShape = record.NewShape(
//		record.Word("type", func(e *entry) *string { return &e.kind }),
//		record.Time("timestamp", func(e *entry) *time.Time { return &e.at }),
//		record.In("payload",
//			record.Word("name", func(e *entry) *string { return &e.name }),
//			record.Raw("arguments", func(e *entry) *record.Value { return &e.args })),
//	)
//
// and then reads the values of each line:
//
//	var r record.Reader // kept for all lines
//	for line, err := range file.Lines(limit) {
//		...
//		for r.Reset(line.Data); r.Next(); {
//			var e entry
//			if entryShape.Read(&r, &e) != nil {
//				break
//			}
//			...
//		}
//		if err := r.Err(); err != nil { // ErrCut at the end of a file that crashed
//			...
//		}
//	}
//
// The example below is a whole one. Package formattest has what the tests of a
// reader need.
//
// # What can be wanted
//
// String, Word, Bool, Number, Count, Millis and Time copy a value out. Text and
// Raw give it as it stands, which lives as long as the line; Raw is what the
// arguments of a call are kept by, since detectors compare them byte for byte.
// Has asks whether a member is there. Object, In, Each and List go into objects
// and arrays, Same into objects of the same shape, and Embed puts the fields of
// one shape into another. Func and Visit are for what is left: a value whose form
// depends on its kind, or an array that is too large to be held.
//
// A member of another kind than a field takes is absent, and so is null. Two
// fields may have one name, for a member that comes as a text or as a list. The
// name Itself is the value that the shape is read from, and Rest is given the
// members that nothing else names.
//
// # Held and streamed
//
// A Reader that was Reset reads text that is held. One that was Open reads a
// stream and holds one value at a time, up to a limit: for a file that is one
// array of gigabytes, Walk a shape whose Visit stands before the elements.
// Spread and Scanner cut such a file by its brackets instead, and go on after a
// mistake.
//
// # Duplicates, errors
//
// Of a name that an object has twice the last member of a wanted kind counts.
// What is said of text that is not JSON does not depend on what is wanted of it.
package record
