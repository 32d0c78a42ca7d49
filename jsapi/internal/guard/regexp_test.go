package guard

import (
	"strings"
	"testing"
	"time"
)

// TestUnicodeProperties: a pattern with \p{…} made at run time matches by property and tells its own source.
func TestUnicodeProperties(t *testing.T) {
	for script, want := range map[string]string{
		`new RegExp("^\\p{L}+$", "u").test("añ")`:                                                                                "true",
		`new RegExp("^\\P{L}+$", "u").test("añ")`:                                                                                "false",
		`RegExp("\\p{Lu}", "u").exec("aB").index`:                                                                                "1",
		`new RegExp("\\p{Script=Greek}", "u").test("λ")`:                                                                         "true",
		`new RegExp("\\p{Emoji}", "u").test("😀")`:                                                                                "true",
		`new RegExp("\\p{L}", "gu").source`:                                                                                      `\p{L}`,
		`new RegExp("\\p{L}", "gu").flags`:                                                                                       "gu",
		`String(new RegExp("\\p{L}", "u"))`:                                                                                      `/\p{L}/u`,
		`RegExp.prototype.toString.call({source: "(?=)\\p{L}", flags: ""})`:                                                      `/(?=)\p{L}/`,
		`"añb1".match(new RegExp("\\p{L}", "gu")).join()`:                                                                        "a,ñ,b",
		`[..."añ1".matchAll(new RegExp("(?<c>\\p{L})", "gu"))].map(m => m.groups.c + m.index).join()`:                            "a0,ñ1",
		`"a1ñ2".split(new RegExp("\\p{N}", "u")).join("|")`:                                                                      "a|ñ|",
		`"a1".replace(new RegExp("(?<c>\\p{L})", "u"), "<$<c>>")`:                                                                "<a>1",
		`"1a".search(new RegExp("\\p{L}", "u"))`:                                                                                 "1",
		`const r = new RegExp("\\p{L}", "gu"); r.test("ab"); r.lastIndex`:                                                        "1",
		`const r = new RegExp("\\p{L}", "yu"); [r.test("a1"), r.lastIndex, r.test("a1")].join()`:                                 "true,1,false",
		`const r = new RegExp("\\p{L}", "u"); RegExp(r) === r`:                                                                   "true",
		`new RegExp(new RegExp("\\p{L}", "u"), "giu").source`:                                                                    `\p{L}`,
		`new RegExp(new RegExp("\\p{Lu}", "u")).test("A")`:                                                                       "true",
		`new RegExp(new RegExp("\\p{Lu}", "u").source, "u").test("A")`:                                                           "true",
		`new RegExp("\\p{L}", "u") instanceof RegExp`:                                                                            "true",
		`new RegExp("\\p{L}", "u").constructor === RegExp`:                                                                       "true",
		`class R extends RegExp {} const r = new R("\\p{L}", "u"); [r instanceof R, r.test("ñ"), r.source].join()`:               "true,true,\\p{L}",
		`class R extends RegExp {} "a1b".split(new R("\\p{N}", "u")).join("|")`:                                                  "a|b",
		`class R extends RegExp { static get [Symbol.species]() { return RegExp } } "a1b".split(new R("\\p{N}", "u")).join("|")`: "a|b",
		`/x/.compile("\\p{L}", "u").test("ñ")`:                                                                                   "true",
		`new RegExp("\\p{L}").source`:                                                                                            `\p{L}`,
		`new RegExp("(?=)a").source`:                                                                                             "(?=)a",
		`const {source, flags} = new RegExp("\\p{L}", "u"); source + flags`:                                                      `\p{L}u`,
		`try { new RegExp("\\p{L", "u") } catch (e) { e.name }`:                                                                  "SyntaxError",
		`try { new RegExp("(?i:a)") } catch (e) { e.name }`:                                                                      "SyntaxError",
	} {
		v, err := newRuntime(t).RunString(script)
		if err != nil {
			t.Errorf("%s: %v", script, err)
		} else if v.String() != want {
			t.Errorf("%s\n\t%s, want %s", script, v, want)
		}
	}
}

// TestSlowProgramsAreNotTakenForSlowSearches: the time that is spent in the program's own functions does not count.
func TestSlowProgramsAreNotTakenForSlowSearches(t *testing.T) {
	for script, want := range map[string]string{
		`"aXa".replace(/X/, () => { slow(); return "X" })`:                          "aXa",
		`"aXa".replace(/X/g, () => { slow(); return "X" })`:                         "aXa",
		`const r = /X/; r.exec = () => { slow(); return null }; r.test("a")`:        "false",
		`const r = /X/; r.exec = () => { slow(); return null }; "a".replace(r, "")`: "a",
		`const r = /X/; r.exec = () => { slow(); return null }; "a".search(r)`:      "-1",
		`/X/.test({toString() { slow(); return "a" }})`:                             "false",
	} {
		rt := newRuntime(t)
		if err := rt.Set("slow", func() { time.Sleep(600 * time.Millisecond) }); err != nil {
			t.Fatal(err)
		}
		v, err := rt.RunString(script)
		if err != nil {
			t.Errorf("%s: %v", script, err)
		} else if v.String() != want {
			t.Errorf("%s\n\t%s, want %s", script, v, want)
		}
	}
}

// TestSlowLinearSearchesAreBelieved: the linear engine is never cut off, however long it takes.
func TestSlowLinearSearchesAreBelieved(t *testing.T) {
	const subject = `const r = /(?:a?){300}z/, s = "a".repeat(60000); `
	for script, want := range map[string]string{
		`r.test(s)`:                  "false",
		`r.exec(s)`:                  "null",
		`s.match(r)`:                 "null",
		`s.search(r)`:                "-1",
		`s.split(r).length`:          "1",
		`s.replace(r, "").length`:    "60000",
		`r.test("ñ" + s)`:            "false",
		`new RegExp(r, "s").test(s)`: "false",
	} {
		v, err := newRuntime(t).RunString(subject + script)
		if err != nil {
			t.Errorf("%s: %v", script, err)
		} else if v.String() != want {
			t.Errorf("%s\n\t%s, want %s", script, v, want)
		}
	}
}

// TestBacktrackingSearchesAreDoubted: what the backtracking engine may have cut off is an error, in each way to get there.
func TestBacktrackingSearchesAreDoubted(t *testing.T) {
	const subject = `const s = "a".repeat(40); `
	for _, script := range []string{
		`/(?=a)(a+)+b/.test(s)`,
		`/(?=a)(a+)+b/.exec(s)`,
		`/(?=a)(a+)+b/y.test(s)`,
		`const r = /(a+)+b/g; r.lastIndex = 1; r.test(s)`,
		`const r = /(a+)+b/y; r.lastIndex = 1; r.test(s)`,
		`("ñ" + s).split(/(a+)+b/)`,
	} {
		v, err := newRuntime(t).RunString(subject + script)
		if err == nil || !strings.Contains(err.Error(), "may have been cut off") {
			t.Errorf("%s = %v, error %v", script, v, err)
		}
	}
}
