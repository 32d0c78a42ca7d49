package openai

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/seed-d579e5eb/harness/model"
)

// call is one request to a server, with its attempts.
type call struct {
	provider *Provider
	request  model.Request
	key      secret
	compat   Compat
}

// send makes attempts until one is answered by a stream, which the caller closes.
func (c *call) send(watch *watch) (*http.Response, error) {
	options := c.request.Options
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		response, err := c.attempt(watch, body)
		if err == nil || watch.ctx.Err() != nil || attempt > options.MaxRetries || !again(err) {
			return response, err
		}
		delay, err := delayAfter(err, attempt, options.MaxRetryDelayMs)
		if err != nil {
			return nil, err
		}
		watch.timer.Stop()
		if err := c.provider.options.Sleep(watch.ctx, delay); err != nil {
			return nil, err
		}
	}
}

// attempt makes the request once.
func (c *call) attempt(watch *watch, body []byte) (*http.Response, error) {
	ctx := watch.ctx
	watch.heard()
	limit := time.Duration(c.request.Options.TimeoutMs) * time.Millisecond
	inTime := func() bool { return true }
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		// The context goes on with the body, and ends with the watch.
		inTime = time.AfterFunc(limit, cancel).Stop
	}
	response, err := c.post(ctx, body)
	if !inTime() {
		if err == nil {
			response.Body.Close()
		}
		return nil, &silentError{limit}
	}
	if err != nil {
		return nil, err
	}
	response.Body = &watched{response.Body, watch}
	return response, nil
}

// post returns the server's success, whose body is the caller's to close. The error is
// that of the connection, or a [*StatusError].
func (c *call) post(ctx context.Context, body []byte) (*http.Response, error) {
	address, err := url.JoinPath(c.request.Model.BaseURL, "chat/completions")
	if err != nil {
		return nil, fmt.Errorf("base URL of model %s: %w", c.request.Model.FullName(), err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	c.addHeaders(request.Header)
	response, err := c.provider.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer response.Body.Close()
		return nil, statusError(response)
	}
	return response, nil
}

// addHeaders has the request's headers go before the model's, and these before the
// provider's.
func (c *call) addHeaders(to http.Header) {
	to.Set("User-Agent", "harness")
	to.Set("Accept", "text/event-stream")
	to.Set("Content-Type", "application/json")
	if c.key.text != "" {
		to.Set("Authorization", "Bearer "+c.key.text)
	}
	for _, headers := range []map[string]string{c.provider.config.Headers, c.request.Model.Headers} {
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			to.Set(name, headers[name])
		}
	}
	headers := c.request.Options.Headers
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if value := headers[name]; value != nil {
			to.Set(name, *value)
		} else {
			to.Del(name)
		}
	}
}

// follow is the policy for redirects: a request goes as it is to its own server, and
// with its key to no other.
func follow(next *http.Request, made []*http.Request) error {
	const most = 10
	first := made[0]
	if len(made) >= most || next.Method != first.Method || next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}
