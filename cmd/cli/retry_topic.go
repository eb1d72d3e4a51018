package cli

const attempts = `A failed request is an attempt line of the canonical JSONL, before the step that it was made for:

  {"t":"attempt","sid":"s","i":1,"n":1,"status":429,"headers":{"retry-after":"30"},"body":"{…}","phase":"request","ts":"…"}

  i               the step. Attempts of one step are one episode; if the step comes, the last attempt was followed
                  by one that worked; if it does not, or is flagged error_message, the recording gave up
  n, max          number and limit, as the agent counted
  phase           request: nothing of the answer had come; stream: it had begun. Left out, it is request
  after_call      a complete tool call had arrived: sending again may repeat it
  status, headers, body, message, error_type, name, code, cause, errors
                  what is known of the error. status is HTTP's, so an error inside a stream has none. cause is a text
                  or an object with name, message, code, cause and errors of its own; errors is a list of such
  is_retryable    the client library's own flag; left out, its default by the status
  provider, adapter, scope
                  whose configuration applies; whose 404 may be retried; max-candidate, max-judge
  error           the agent's own error object, as it held it. A policy of that agent decides on it as it stands:
                  {"name":"APIError","data":{"message":…,"statusCode":…,"responseHeaders":{…}}}, or a thrown error
                  with name, message, code, cause. AI_APICallError with statusCode, responseHeaders, responseBody
                  is normalised first
  delay_ms, ts    what the client waited before it tried again, and when the attempt failed. Both together say how
                  long each attempt took; without them elapsed time is that of the waits
  retry_after_ms  what the server asked for, where the headers were not kept
  outcome         retry, failed, ok; aborted if the user had cancelled

The name of an attempt says how the error was held: APIError, UnknownError and the like are normalised errors, taken
as they are; anything else is made into one first: with a status an HTTP error, with only a JSON body a frame of a
stream, else a thrown error.

groundhog retry --format jsonl prints one line an episode and policy: session, policy, run, step, what the record
shows, attempts, and how it ends. Each attempt has n, kind, budget, retryable, wait_min_ms, wait_expected_ms,
wait_max_ms (null where the policy stops), shown (the number that the agent's user sees, if it numbers its retries:
one row over phases and steps of a run) and stop (count, deadline, terminal, unsafe, silent, or empty). The stop of
the episode may also be recovered, or open: the recording gave up first. by_attempt and by_time are the two clocks;
where they agree, whatever the jitter, the line is firm.`
