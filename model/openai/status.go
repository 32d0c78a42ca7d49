package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// StatusError is a server's answer that is not a success.
type StatusError struct {
	Status int
	// Message is the server's, or the beginning of what it sent. It may be empty.
	Message string
	// Code is the server's word for the error. Optional.
	Code string
	// RetryAfter is how long the server wants to be left alone; negative when it does
	// not say.
	RetryAfter time.Duration

	shouldRetry string
}

// Error begins with the status, by which [model.Retryable] and [model.Overflow] judge.
func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("%d status code (no body)", e.Status)
	}
	text := fmt.Sprintf("%d %s: %s", e.Status, http.StatusText(e.Status), e.Message)
	if e.Code != "" && !strings.Contains(e.Message, e.Code) {
		text += " (" + e.Code + ")"
	}
	if e.Status == http.StatusUnauthorized {
		text += "; check the provider's key"
	}
	return text
}

// mostError is how many bytes of an error's body are read, and mostShown of a text that
// is shown.
const (
	mostError = 64 << 10
	mostShown = 2000
)

func statusError(response *http.Response) *StatusError {
	body, _ := io.ReadAll(io.LimitReader(response.Body, mostError)) // what came tells enough
	e := &StatusError{
		Status: response.StatusCode, RetryAfter: retryAfter(response.Header, time.Now()),
		shouldRetry: response.Header.Get("X-Should-Retry"),
	}
	e.Message, e.Code = explained(body)
	if to, err := response.Location(); err == nil && e.Status < http.StatusBadRequest {
		e.Message = "the server sends requests to " + to.Redacted() + ", where they do not follow: have the baseUrl name it"
	}
	return e
}

// explained finds message and code in what a server sent as an error.
func explained(body []byte) (text, code string) {
	var sent struct {
		Error   json.RawMessage
		Message json.RawMessage
		Detail  json.RawMessage
		Code    json.RawMessage
		Type    json.RawMessage
	}
	if json.Unmarshal(body, &sent) != nil {
		return shown(body), ""
	}
	if len(sent.Error) > 0 && sent.Error[0] == '{' {
		inner, innerCode := explained(sent.Error)
		return inner, innerCode
	}
	for _, member := range []json.RawMessage{sent.Message, sent.Error, sent.Detail} {
		if text = word(member); text != "" {
			break
		}
	}
	if text == "" {
		text = shown(body)
	}
	if code = word(sent.Code); code == "" {
		code = word(sent.Type)
	}
	return shown([]byte(text)), code
}

// word returns the text of a string or a number.
func word(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(value, &number) == nil {
		return number.String()
	}
	return ""
}

// shown returns the beginning of a text.
func shown(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > mostShown {
		at := mostShown
		for at > 0 && !utf8.RuneStart(text[at]) {
			at--
		}
		return fmt.Sprintf("%s (%d more bytes)", text[:at], len(text)-at)
	}
	return string(text)
}

// again says whether an attempt that failed may succeed when it is made again.
func again(err error) bool {
	status, ok := errors.AsType[*StatusError](err)
	if !ok {
		_, network := errors.AsType[net.Error](err)
		_, silent := errors.AsType[*silentError](err)
		return network || silent || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	}
	switch status.shouldRetry {
	case "true":
		return true
	case "false":
		return false
	}
	switch status.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status.Status >= http.StatusInternalServerError
}

// delayAfter returns how long to wait after the attempts that failed. The error says
// that the server wants more than the limit, in milliseconds; nil is a minute.
func delayAfter(err error, attempts int, limit *int64) (time.Duration, error) {
	const first, most = 500 * time.Millisecond, 8 * time.Second
	status, ok := errors.AsType[*StatusError](err)
	if !ok || status.RetryAfter < 0 {
		delay := first
		for range attempts - 1 {
			delay = min(2*delay, most)
		}
		return delay, nil
	}
	longest := time.Minute
	if limit != nil {
		longest = time.Duration(*limit) * time.Millisecond
	}
	if longest > 0 && status.RetryAfter > longest {
		return 0, fmt.Errorf("the server asks for a retry delay of %v, and %v is the most that is allowed: %w",
			status.RetryAfter.Round(time.Second), longest, err)
	}
	return status.RetryAfter, nil
}

// retryAfter reads how long a server wants to be left alone: milliseconds, seconds or a
// date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	for _, unit := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		text := strings.TrimSpace(header.Get(unit.name))
		if number, err := strconv.ParseFloat(text, 64); err == nil && number >= 0 {
			return time.Duration(min(number*float64(unit.unit), math.MaxInt64/2))
		}
		if date, err := http.ParseTime(text); err == nil {
			return max(date.Sub(now), 0)
		}
	}
	return -1
}
