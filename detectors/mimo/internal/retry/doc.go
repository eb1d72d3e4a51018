// Package retry is MiMo Code's retry coordinator, and the retry of OpenCode
// that it came from: how an error is normalised, classified, given a budget and
// a wait. It knows nothing of recordings and policies.
//
// Errors come in two shapes. A thrown one has a name, a message, perhaps a code
// and a chain of causes. A normalised one is an object {name, data}. The
// classification takes both, but in the product the normalised one is what it
// gets, which is why some kinds are lost.
package retry
