package host

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

// prompted is a world of extensions that all have a part in the prompt. version is
// code that no model sees, and rule text that it does.
func prompted(version, rule string) files {
	return files{
		server("a"): fmt.Sprintf(`import { section, defineExtension } from "@earendil-works/pi-durable";
// %[1]s
export default defineExtension({ name: "a",
	tools: [%[2]s as any],
	sections: [section("tools", ({ agent }) => agent.tools.map((t: any) => t.name).join(", ")), section("rule", () => %[3]q, { tag: false }),
		section("shown", ({ shown }) => "there are rules: " + ("rule" in shown)), section("none", () => undefined)] });`,
			version, tool("look", `return "seen by `+version+`";`), rule),
		server("b"): fmt.Sprintf(`import { wrapSection, wrapTool, defineExtension } from "@earendil-works/pi-durable";
export default defineExtension({ name: "b", wraps: [
	wrapSection("tools", (inner) => ({ ...inner, render: async (input, context) => "[" + (await inner.render(input, context)) + "]" })),
	wrapTool("look", (inner) => ({ ...inner, description: inner.description + ", wrapped", execute: async (args, api, context) => { %q; return inner.execute(args, api, context); } })),
] });`, version),
	}
}

// prompts are what the model was asked, in order.
type prompts struct{ texts []string }

// asked is a step that notes the prompt before it answers.
func (p *prompts) asked(answer *message.Assistant) faux.Step {
	return func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		p.texts = append(p.texts, faux.Prompt(request.Messages))
		return answer, nil
	}
}

func TestTheWholePreviousPromptIsReadFromTheCache(t *testing.T) {
	w := newWorld(t, prompted("one", "Be brief."))
	scripted, models, asked := faux.New(faux.Options{}), new(model.Models), &prompts{}
	if _, err := models.Set(scripted); err != nil {
		t.Fatal(err)
	}
	open := func() *talking {
		h, err := w.tryOpen(func(o *Options) { o.Models = models })
		if err != nil {
			t.Fatal(err)
		}
		return &talking{h, w, scripted}
	}
	run := func(h *talking) {
		scripted.Set(asked.asked(faux.Calls(faux.Call("look", map[string]any{}))), asked.asked(faux.Says("done")))
		h.done(h.begin("go"))
	}
	h := open()
	run(h)
	run(h) // across turns
	changed := prompted("two", "Be brief.")
	changed[server("c")] = `import { defineExtension, hook, GenerationTask } from "@earendil-works/pi-durable";
export default defineExtension({ name: "c", hooks: [hook(GenerationTask, { beforeRequest: () => undefined })] });`
	h.live(w.commit(changed))
	run(h) // across a reload that no model sees
	contains(t, h.results()[2].Text(), "seen by two")
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h = open()
	run(h) // across a restart
	h.live(w.commit(prompted("three", "Be thorough.")))
	run(h) // what a model does see is said at the end
	defer func() {
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()

	view, err := h.Session().Context(t.Context(), record.Root, 0)
	if err != nil {
		t.Fatal(err)
	}
	var before int64
	var at, systems int
	for _, shown := range view.Messages {
		switch m := shown.(type) {
		case *message.System:
			systems++
		case *message.Assistant:
			if m.Usage.CacheRead != before || m.Usage.Input != 0 {
				t.Errorf("request %d read %d tokens from the cache, and the previous prompt has %d", at, m.Usage.CacheRead, before)
			}
			before = m.Usage.CacheRead + m.Usage.CacheWrite
			at++
		}
	}
	for i := 1; i < len(asked.texts); i++ {
		if !strings.HasPrefix(asked.texts[i], asked.texts[i-1]) {
			t.Errorf("request %d does not begin with the one before:\n%s\n\n%s", i, asked.texts[i-1], asked.texts[i])
		}
	}
	if at != 10 || len(asked.texts) != 10 || systems != 3 { // the section shown says another thing once it is shown
		t.Errorf("%d responses to %d requests, and the prompt was written %d times:\n%s", at, len(asked.texts), systems, h.transcript())
	}
	contains(t, asked.texts[9], "Be thorough.")
}
