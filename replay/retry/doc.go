// Package retry runs retry policies over recorded failures. Requests gathers the failed
// attempts of one session into episodes, step by step. Run says what a policy would
// have done in one episode: how long it would have waited, why it would have stopped,
// and whether it would have recovered.
package retry
