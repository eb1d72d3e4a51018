// Package stream holds the algorithms behind MiMo Code's in-stream repetition
// detectors: the token monitor (Monitor), a screen that tells texts the monitor
// can never fire on (Screen), and the character-level loop detector (Chars).
// They know nothing of detectors, limits in a plan, or transcripts.
//
// The originals work on JavaScript strings, so everything here does: a text is
// a Go string that may hold lone surrogates in their three-byte form
// ("\xed\xa0\xbd"). Each is one UTF-16 code unit, and two halves that come
// together are one character, however they came together.
//
// The package is written from a description of behaviour and from what the
// originals gave for the texts in testdata, never from their source.
package stream
