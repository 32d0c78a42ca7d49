package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
)

// install installs an extension and closes the generation before.
func install(t *testing.T, r *registry.Registry, e *extension) {
	t.Helper()
	previous, err := r.Install(e, &e.instance)
	if err != nil {
		t.Fatal(err)
	}
	if err := previous.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func uninstall(t *testing.T, r *registry.Registry, name string) {
	t.Helper()
	previous, err := r.Uninstall(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := previous.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// lived notes when an instance was opened and ended.
func lived(name string, notes *[]string, list ...registry.Tool) registry.Instance {
	note := func(what string) func(context.Context) error {
		return func(context.Context) error {
			*notes = append(*notes, name+" "+what)
			return nil
		}
	}
	return registry.Instance{Tools: list, OnOpen: note("opened"), OnClose: note("closed"), Shutdown: note("shut down")}
}

func TestAnExtensionIsInstalledAtTheEndOrReplacedAtItsPlace(t *testing.T) {
	r := registry.New(registry.Options{})
	for _, e := range []*extension{builtin("b", 1, tools(says("act", "b"))), builtin("a", 0, tools(says("other", "a"))), builtin("c", 0, registry.Instance{})} {
		install(t, r, e)
	}
	if diff := cmp.Diff([]string{"b", "a", "c"}, names(r.Current().Extensions())); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	install(t, r, builtin("b", 0, tools(says("act", "newer b"))))
	if diff := cmp.Diff([]string{"b", "a", "c"}, names(r.Current().Extensions())); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	if got := r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"}).Text(); got != "newer b" {
		t.Errorf("the replaced tool says %q", got)
	}
	uninstall(t, r, "b")
	install(t, r, builtin("b", 0, registry.Instance{}))
	if diff := cmp.Diff([]string{"a", "c", "b"}, names(r.Current().Installed())); diff != "" {
		t.Errorf("after it was away (-want +got):\n%s", diff)
	}
	var gone *registry.NotInstalledError
	if _, err := r.Uninstall("x"); !errors.As(err, &gone) || gone.Extension != "x" {
		t.Errorf("got %v", err)
	}
}

func TestAnInvalidInstallationChangesNothing(t *testing.T) {
	tests := []struct {
		name string
		e    *extension
		rule registry.Rule
	}{
		{"two tools of one name", builtin("x", 0, tools(echo("act"), echo("act"))), registry.RuleDuplicateTool},
		{"two sections of one key", builtin("x", 0, sections(shows("rules", ""), shows("rules", ""))), registry.RuleDuplicateSection},
		{"a section key that is none", builtin("x", 0, sections(shows("Rules", ""))), registry.RuleSectionKey},
		{"a reserved section", builtin("x", 0, sections(shows("instructions", ""))), registry.RuleSectionKey},
		{"a name that is none", builtin("X", 0, registry.Instance{}), registry.RuleExtensionName},
		{"a task of another extension", builtin("x", 0, withTask(task("work", 1))), registry.RuleDuplicateTask},
		{"a task of the engine", builtin("x", 0, withTask(task("pi.tool", 1))), registry.RuleDuplicateTask},
		{"a replacement that is invalid", builtin("installed", 0, tools(echo("act"), echo("act"))), registry.RuleDuplicateTool},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := registry.New(registry.Options{})
			promote(t, r, "c1", world("w", withTask(task("work", 1))))
			install(t, r, builtin("installed", 0, tools(says("act", "good"))))
			before, told := r.Current(), 0
			defer r.Subscribe(func(*registry.Generation) { told++ })()
			previous, err := r.Install(test.e, &test.e.instance)
			var refused *registry.InstallError
			if !errors.As(err, &refused) || previous != nil || refused.Problems[0].Rule != test.rule || !strings.Contains(err.Error(), refused.Problems[0].Message) {
				t.Fatalf("got %v", err)
			}
			if r.Current() != before || told != 0 || len(r.Current().Installed()) != 1 {
				t.Errorf("something has changed: %v, told %d times", names(r.Current().Installed()), told)
			}
		})
	}
}

func TestWhatGoesOnKeepsWhatWasUninstalled(t *testing.T) {
	var notes []string
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("w", registry.Instance{}))
	kept := lived("x", &notes, says("act", "x"))
	e := builtin("x", 0, kept)
	install(t, r, e)
	r.Current().Open(t.Context())
	g, release := r.Acquire("a request")
	previous, err := r.Uninstall("x")
	if err != nil || previous != g {
		t.Fatal(err)
	}
	if got := g.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"}).Text(); got != "x" {
		t.Errorf("what began before says %q", got)
	}
	if got := r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"}); got.Code != registry.CodeToolUnavailable {
		t.Errorf("the next call says %q", got.Text())
	}
	if diff := cmp.Diff([]string{"x opened"}, notes); diff != "" {
		t.Errorf("before the end (-want +got):\n%s", diff)
	}
	release()
	if err := previous.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x opened", "x closed", "x shut down"}, notes); diff != "" {
		t.Errorf("after the end (-want +got):\n%s", diff)
	}
}

// TestAnInstallationSharesTheMembersOfItsBase also shows that each is closed once, by
// the last generation that has it.
func TestAnInstallationSharesTheMembersOfItsBase(t *testing.T) {
	var notes []string
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("w", lived("w", &notes)))
	r.Current().Open(t.Context())
	install(t, r, builtin("x", 0, lived("x", &notes)))
	install(t, r, builtin("y", 0, lived("y", &notes)))
	r.Current().Open(t.Context())
	install(t, r, builtin("x", 0, lived("newer x", &notes)))
	r.Current().Open(t.Context())
	if g := r.Current(); g.Commit() != "c1" || len(g.Extensions()) != 3 {
		t.Errorf("got %s with %v", g.Commit(), names(g.Extensions()))
	}
	if err := r.Retire().Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"w opened", "x opened", "y opened", "x closed", "x shut down", "newer x opened",
		"y closed", "y shut down", "newer x closed", "newer x shut down", "w closed", "w shut down",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("lives (-want +got):\n%s", diff)
	}
	if left := names(r.Current().Installed()); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAnInstalledExtensionTakesThePlaceOfTheCommitsAndGivesItBack(t *testing.T) {
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("a", tools(says("act", "commit"))), world("b", registry.Instance{}))
	install(t, r, builtin("a", 0, tools(says("act", "installed"))))
	says := func() string { return r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"}).Text() }
	if diff := cmp.Diff([]string{"a", "b"}, names(r.Current().Extensions())); diff != "" || says() != "installed" {
		t.Errorf("it says %q, extensions (-want +got):\n%s", says(), diff)
	}
	if replaced := names(r.Current().Replaced()); len(replaced) != 1 {
		t.Errorf("replaced %v", replaced)
	}
	uninstall(t, r, "a")
	if says() != "commit" || len(r.Current().Replaced()) != 0 {
		t.Errorf("it says %q", says())
	}
}

// TestTheNextCommitHasWhatWasInstalledMeanwhile also shows that what came from the
// repository ends with the commit.
func TestTheNextCommitHasWhatWasInstalledMeanwhile(t *testing.T) {
	var notes []string
	r := registry.New(registry.Options{})
	promote(t, r, "c1", builtin("core", 0, registry.Instance{}), world("w", registry.Instance{}))
	install(t, r, builtin("before", 0, lived("before", &notes)))
	install(t, r, builtin("going", 0, lived("going", &notes)))
	install(t, r, world("own", lived("own", &notes)))
	candidate := stage(t, r, "c2", world("w", registry.Instance{}), world("v", registry.Instance{}))
	candidate.Problem(registry.Problem{Message: "a remark", Severity: registry.SeverityWarning})
	next, problems := candidate.Validate()
	if next == nil {
		t.Fatal(problems)
	}
	install(t, r, builtin("after", 0, lived("after", &notes)))
	uninstall(t, r, "going")
	previous, err := r.Promote(next)
	if err != nil {
		t.Fatal(err)
	}
	if err := previous.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"core", "v", "w", "before", "after"}, names(r.Current().Extensions())); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"going shut down", "own shut down"}, notes); diff != "" {
		t.Errorf("lives (-want +got):\n%s", diff)
	}
	if warnings := r.Current().Warnings(); len(warnings) != 1 || r.Current() != next {
		t.Errorf("warnings %v", warnings)
	}
	promote(t, r, "c3")
	if diff := cmp.Diff([]string{"core", "before", "after"}, names(r.Current().Extensions())); diff != "" {
		t.Errorf("of the commit after (-want +got):\n%s", diff)
	}
}

func TestWhatNoLongerFitsACommitIsLeftOutAndReported(t *testing.T) {
	var reported failures
	var notes []string
	r := registry.New(registry.Options{Report: reported.report})
	promote(t, r, "c1")
	first := lived("first", &notes)
	first.Tasks = tasks("work", 1)
	install(t, r, builtin("first", 0, first))
	install(t, r, builtin("second", 0, registry.Instance{}))
	promote(t, r, "c2", world("w", withTask(task("work", 2))))
	if diff := cmp.Diff([]string{"w", "second"}, names(r.Current().Extensions())); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"first shut down"}, notes); diff != "" {
		t.Errorf("lives (-want +got):\n%s", diff)
	}
	var refused *registry.InstallError
	if len(reported.list) != 1 || reported.list[0].Extension != "first" || !errors.As(reported.list[0], &refused) {
		t.Errorf("reported %q", reported.texts())
	}
	if got := names(r.Current().Installed()); len(got) != 1 || got[0] != "second" {
		t.Errorf("installed are %v", got)
	}
}

func TestSubscribersHearOfInstallations(t *testing.T) {
	r := registry.New(registry.Options{})
	var heard [][]string
	defer r.Subscribe(func(g *registry.Generation) {
		if g != r.Current() {
			t.Error("the generation is not current")
		}
		heard = append(heard, names(g.Extensions()))
	})()
	install(t, r, builtin("a", 0, registry.Instance{}))
	install(t, r, builtin("b", 0, registry.Instance{}))
	uninstall(t, r, "a")
	if diff := cmp.Diff([][]string{{"a"}, {"a", "b"}, {"b"}}, heard); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}
