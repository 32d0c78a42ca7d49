package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

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
	for attempt := 1; ; attempt++ {
		response, err := c.attempt(watch)
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
func (c *call) attempt(watch *watch) (*http.Response, error) {
	ctx := watch.ctx
	watch.heard()
	if limit := time.Duration(c.request.Options.TimeoutMs) * time.Millisecond; limit > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		timer := time.AfterFunc(limit, func() { cancel(&silentError{limit}) })
		defer timer.Stop() // the context goes on with the body, and ends with the watch
	}
	var response *http.Response
	service := sdk.NewChatCompletionService(c.options()...)
	_, err := service.New(ctx, c.params(), option.WithResponseBodyInto(&response))
	if err != nil {
		if silent, ok := errors.AsType[*silentError](context.Cause(ctx)); ok {
			return nil, silent
		}
		return nil, err
	}
	response.Body = &watched{response.Body, watch}
	return response, nil
}

// options are how the library makes the request: it tries once, and reads nothing from
// the environment.
func (c *call) options() []option.RequestOption {
	options := []option.RequestOption{
		option.WithBaseURL(c.request.Model.BaseURL),
		option.WithHTTPClient(c.provider.client),
		option.WithMaxRetries(0),
		option.WithMiddleware(plain, refused),
		option.WithHeader("User-Agent", "harness"),
		option.WithHeader("Accept", "text/event-stream"),
	}
	if c.key.text != "" {
		options = append(options, option.WithAPIKey(c.key.text))
	}
	for _, headers := range []map[string]string{c.provider.config.Headers, c.request.Model.Headers} {
		for name, value := range headers {
			options = append(options, option.WithHeader(name, value))
		}
	}
	for name, value := range c.request.Options.Headers {
		if value == nil {
			options = append(options, option.WithHeaderDel(name))
		} else {
			options = append(options, option.WithHeader(name, *value))
		}
	}
	return options
}

// plain removes what the library tells of this computer.
func plain(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	for name := range request.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			request.Header.Del(name)
		}
	}
	return next(request)
}

// refused makes an answer that is no success a [*StatusError].
func refused(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	response, err := next(request)
	if err != nil || response.StatusCode < http.StatusMultipleChoices {
		return response, err
	}
	defer response.Body.Close()
	return nil, statusError(response)
}
