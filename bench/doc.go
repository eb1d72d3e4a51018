// Package bench makes recordings of the size and shape of real ones, and
// measures the program on them.
//
// What must hold on every machine is a test: how often the hot path allocates, and that
// the shapes of one session lead to the same fires. Time is only reported, as a ratio to
// two yardsticks over the same bytes in the same run (README.md).
//
// Generated sessions were preferred to recordings: a corpus of recordings has one shape,
// is not a gigabyte, and does not say which of its calls are stuck.
package bench
