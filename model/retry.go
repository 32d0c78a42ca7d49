package model

import (
	"regexp"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/model/message"
)

// DefaultMaxRetryDelay bounds delays whose policy has no bound.
const DefaultMaxRetryDelay = time.Minute

// RetryDelay returns how long to wait before a response is asked for again after
// attempt failed ones: base, doubled with each further attempt, and at most limit, or
// [DefaultMaxRetryDelay] when that is 0.
func RetryDelay(base, limit time.Duration, attempt int) time.Duration {
	if limit <= 0 {
		limit = DefaultMaxRetryDelay
	}
	delay := max(base, 0)
	for range attempt - 1 {
		if delay >= limit || delay == 0 {
			break
		}
		delay *= 2 // below twice the limit, so that it cannot overflow before it is cut
	}
	return min(delay, limit)
}

// exhausted are words of errors that do not pass by waiting a little: a quota or a
// budget is used up.
var exhausted = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`insufficient_quota`, `quota exceeded`, `exceeded your current quota`, `out of budget`, `billing`,
	`monthly usage limit`, `available balance`, `insufficient (?:balance|credit)`,
	`(?:free|go)usagelimiterror`, `subscription_sharing_(?:workplace_individual_)?usage_limit_exceeded`,
	`"code"\s*:\s*"?1308(?:\D|$)`,
}, "|"))

// passing are words of errors that may not happen again: a server that is busy or
// failed, and connections that were refused or broke.
var passing = regexp.MustCompile(`(?i)` + strings.Join([]string{
	// The server, by status: a number of its own, and not a part of an id or a count.
	`(?:^|[^a-z0-9])(?:429|500|502|503|504|520|524|529)(?:[^a-z0-9]|$)`,
	// The server, by word.
	`overloaded`, `server.?busy`, `servers are currently busy`, `high demand`, `at capacity`, `rate.?limit`,
	`too many requests`, `resource.?exhausted`, `throttl`, `service.?(?:is.?)?(?:temporarily.?)?unavailable`,
	`server.?error`, `internal.?error`, `provider.?returned.?(?:an.?)?error`, `upstream.?(?:connect|request.?failed|stream)`,
	`unable to forward upstream`, `request buffer limit`, `retry delay`, `(?:re)?try your request`, `subscription_sharing_(?:usage|user)_unavailable`,
	// The connection.
	`network.?error`, `connection.?(?:error|refused|reset|lost|closed|aborted)`, `broken pipe`, `other side closed`,
	`no such host`, `server misbehaving`, `network is unreachable`, `no route to host`, `getaddrinfo`, `fetch failed`, `request to \S+ failed, reason:`,
	`(?:^|[^a-z0-9_])(?:econnreset|econnaborted|econnrefused|etimedout|epipe|enotfound|eai_again)(?:[^a-z0-9_]|$)`,
	`socket hang up`, `socket connection was closed`, `reset before headers`, `timed? ?out`, `timeout`, `terminated`,
	`http/?2.*(?:stream failed|did not get a response)`, `http2: `, `stream error`, `server closed idle connection`, `pending stream has been canceled`,
	`websocket.?(?:closed|error|connection.?limit)`, `responses websocket connection limit`,
	// The end of a response that is not its end.
	`(?:^|[^a-z])eof(?:[^a-z]|$)`, `ended (?:before|without)`, `was interrupted`, `was cut short`, `cut short after`, `before completion`,
}, "|"))

// Retryable says whether a response failed by something that may pass: it has the stop
// reason error, and its error message tells of a busy server or of a connection that
// broke, and not of a quota that is used up. [Overflow] is to be asked first.
func Retryable(m *message.Assistant) bool {
	return m.StopReason == message.StopReasonError && passing.MatchString(m.ErrorMessage) && !exhausted.MatchString(m.ErrorMessage)
}
