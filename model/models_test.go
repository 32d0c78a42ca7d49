package model_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

func newScripted(id string, models ...string) *scripted {
	p := &scripted{id: id, write: func(w *model.Writer) error {
		return errors.Join(say(w, id), w.Done(message.StopReasonStop))
	}}
	for _, name := range models {
		p.models = append(p.models, testModel(id, name))
	}
	return p
}

func set(t *testing.T, models *model.Models, provider model.Provider) (remove func()) {
	t.Helper()
	remove, err := models.Set(provider)
	if err != nil {
		t.Fatal(err)
	}
	return remove
}

func listed(models *model.Models) string {
	var names []string
	for _, m := range models.List() {
		names = append(names, m.FullName())
	}
	return strings.Join(names, " ")
}

func TestAProviderIsReplacedAtItsPlace(t *testing.T) {
	var models model.Models
	removeOld := set(t, &models, newScripted("a", "1", "2"))
	set(t, &models, newScripted("b", "1"))
	removeNew := set(t, &models, newScripted("a", "3"))
	if got := listed(&models); got != "a/3 b/1" {
		t.Error(got)
	}
	removeOld()
	if got := listed(&models); got != "a/3 b/1" {
		t.Error("removing what was replaced has an effect:", got)
	}
	removeNew()
	if got := listed(&models); got != "b/1" || models.Delete("a") || !models.Delete("b") || models.Provider("b") != nil {
		t.Error(got)
	}
}

func TestAProviderThatContradictsItselfIsRefused(t *testing.T) {
	var models model.Models
	for _, c := range []struct {
		provider model.Provider
		want     string
	}{
		{newScripted(""), `provider "": an id has no slashes, spaces and control characters, and is not empty`},
		{newScripted("a/b"), `provider "a/b": an id has no slashes, spaces and control characters, and is not empty`},
		{newScripted("a", ""), `provider "a": a model has no id`},
		{&scripted{id: "a", models: []*model.Model{testModel("b", "m")}}, `provider "a": model "m" says that it is of provider "b"`},
		{&scripted{id: "a", models: []*model.Model{nil}}, `provider "a": a model is nil`},
	} {
		if _, err := models.Set(c.provider); err == nil || err.Error() != c.want {
			t.Errorf("have %v, want %s", err, c.want)
		}
	}
	if len(models.Providers()) != 0 {
		t.Error("a refused provider was added")
	}
}

// open is a provider that has every model.
type open struct{ *scripted }

func (p open) FindModel(id string) *model.Model { return testModel(p.id, id) }

func TestAModelIsFoundByItsName(t *testing.T) {
	var models model.Models
	set(t, &models, newScripted("a", "one", "two", "x/y"))
	set(t, &models, newScripted("b", "two", "a/one"))
	set(t, &models, open{newScripted("c", "seen")})
	for _, c := range []struct{ name, want string }{
		{"a/one", "a/one"},
		{"one", "a/one"},
		{"x/y", "a/x/y"},
		{"a/x/y", "a/x/y"},
		{"b/a/one", "b/a/one"},
		{"c/other/thing", "c/other/thing"},
		{"two", `the model "two" is ambiguous: name the provider, as in a/two or b/two`},
		{"c/", `unknown model "c/": name the provider, as in c/c/`},
		{"unseen", `unknown model "unseen": name the provider, as in c/unseen`},
		{"d/unseen", `unknown model "d/unseen": name the provider, as in c/d/unseen`},
		{"", `unknown model "": there are a/one, a/two, a/x/y, b/two, b/a/one, c/seen`},
	} {
		got := ""
		if found, err := models.Resolve(c.name); err != nil {
			got = err.Error()
		} else {
			got = found.FullName()
		}
		if got != c.want {
			t.Errorf("%q: have %s, want %s", c.name, got, c.want)
		}
	}
	var unknown *model.UnknownError
	if _, err := new(model.Models).Resolve("x"); !errors.As(err, &unknown) || err.Error() != `unknown model "x": no model is configured` {
		t.Error(err)
	}
}

// raw is a provider whose streams are whatever it is given.
type raw struct {
	*scripted
	stream model.Stream
}

func (p raw) Stream(context.Context, model.Request) model.Stream { return p.stream }

func TestAStreamKeepsItsPromisesWhateverTheProviderDoes(t *testing.T) {
	final := &message.Assistant{StopReason: message.StopReasonStop}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		stream model.Stream
		want   []string
	}{
		{"none", t.Context(), nil, []string{`error error provider "p" returned no stream`}},
		{"no end", t.Context(), func(yield func(model.Event) bool) { yield(model.Event{Type: model.Start}) }, []string{"start ", "error error the response ended without a stop reason"}},
		{"no message", t.Context(), func(yield func(model.Event) bool) { yield(model.Event{Type: model.Done}) }, []string{`error error provider "p" ended the response without a message`}},
		{"a panic", t.Context(), func(func(model.Event) bool) { panic("oops") }, []string{`error error provider "p" panicked: oops`}},
		{"more after the end", t.Context(), func(yield func(model.Event) bool) {
			if yield(model.Event{Type: model.Done, Message: final}) {
				yield(model.Event{Type: model.Done, Message: final})
			}
		}, []string{"done stop "}},
		{"a context that ended", canceled, func(func(model.Event) bool) {}, []string{"error aborted Request was aborted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var models model.Models
			provider := raw{newScripted("p", "m"), c.stream}
			set(t, &models, provider)
			if diff := cmp.Diff(c.want, told(models.Stream(c.ctx, model.Request{Model: provider.models[0]}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAStreamIsForOneLoop(t *testing.T) {
	var models model.Models
	provider := newScripted("p", "m")
	set(t, &models, provider)
	stream := models.Stream(t.Context(), model.Request{Model: provider.models[0]})
	if got := stream.Result().Text(); got != "p" {
		t.Error(got)
	}
	if got := stream.Result(); got.StopReason != message.StopReasonError || !strings.Contains(got.ErrorMessage, "ranged over before") {
		t.Errorf("%+v", got)
	}
}

func TestALoopMayBeLeft(t *testing.T) {
	var err error
	stream := produce(t.Context(), func(w *model.Writer) error {
		for err == nil {
			err = say(w, "x")
		}
		return err
	})
	seen := 0
	for range stream {
		if seen++; seen == 5 {
			break
		}
	}
	if seen != 5 || err == nil {
		t.Errorf("%d events, %v", seen, err)
	}
}

func TestAPanicOfTheConsumerIsItsOwn(t *testing.T) {
	var models model.Models
	provider := newScripted("p", "m")
	set(t, &models, provider)
	defer func() {
		if reason := recover(); reason != "mine" {
			t.Errorf("recovered %v", reason)
		}
	}()
	for range models.Stream(t.Context(), model.Request{Model: provider.models[0]}) {
		panic("mine")
	}
}

func TestARequestThatNobodyCanAnswerFails(t *testing.T) {
	models := model.Models{Now: frozen}
	set(t, &models, newScripted("p", "m"))
	handle := model.DeferredHandle{ID: "x"}
	for _, c := range []struct {
		stream model.Stream
		want   string
	}{
		{models.Stream(t.Context(), model.Request{}), "error error a request needs a model"},
		{models.Stream(t.Context(), model.Request{Model: testModel("q", "m")}), `error error unknown model "q/m": there are p/m`},
		{models.FetchDeferred(t.Context(), testModel("q", "m"), handle), `error error unknown model "q/m": there are p/m`},
		{models.FetchDeferred(t.Context(), testModel("p", "m"), handle), `error error provider "p" has no deferred responses`},
	} {
		if diff := cmp.Diff([]string{c.want}, told(c.stream)); diff != "" {
			t.Error(diff)
		}
	}
	if err := models.CancelDeferred(t.Context(), testModel("p", "m"), handle); err == nil {
		t.Error("a response was cancelled that cannot be")
	}
	if err := models.CheckAuth(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	if err := models.CheckAuth(t.Context(), "q"); err == nil || err.Error() != `there is no provider "q"` {
		t.Error(err)
	}
}

func TestProvidersComeAndGoWhileModelsAreUsed(t *testing.T) {
	var models model.Models
	set(t, &models, newScripted("stays", "m"))
	var users sync.WaitGroup
	for n := range 4 {
		users.Go(func() {
			for range 100 {
				provider := newScripted(fmt.Sprintf("p%d", n), "m")
				remove, err := models.Set(provider)
				if err != nil {
					t.Error(err)
					return
				}
				if got := models.Stream(t.Context(), model.Request{Model: provider.models[0]}).Result().Text(); got != provider.id {
					t.Errorf("%s answered as %s", provider.id, got)
				}
				if _, err := models.Resolve("stays/m"); err != nil {
					t.Error(err)
				}
				remove()
			}
		})
	}
	users.Wait()
	if got := listed(&models); got != "stays/m" {
		t.Error(got)
	}
}
