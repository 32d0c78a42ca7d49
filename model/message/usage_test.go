package message

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestUsagesAdd(t *testing.T) {
	first := Usage{
		Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: new(int64(1)), TotalTokens: 10,
		Cost:  Cost{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 10, TotalFromProvider: true},
		Extra: Extra{{"audio", json.RawMessage("1")}},
	}
	second := Usage{
		Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, CacheWrite1h: new(int64(5)), Reasoning: new(int64(2)), TotalTokens: 100,
		Cost: Cost{Input: 0.5, Output: 0.25, Total: 0.75, TotalFromProvider: true},
	}
	want := Usage{
		Input: 11, Output: 22, CacheRead: 33, CacheWrite: 44, CacheWrite1h: new(int64(5)), Reasoning: new(int64(3)), TotalTokens: 110,
		Cost: Cost{Input: 1.5, Output: 2.25, CacheRead: 3, CacheWrite: 4, Total: 10.75, TotalFromProvider: true},
	}
	if diff := cmp.Diff(want, first.Add(second)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	second.Cost.TotalFromProvider = false
	if first.Add(second).Cost.TotalFromProvider {
		t.Error("a total that is an estimate in part is the provider's")
	}
}

func TestSumsShareNothing(t *testing.T) {
	one := Usage{CacheWrite1h: new(int64(1))}
	sum := one.Add(Usage{Reasoning: one.CacheWrite1h})
	*one.CacheWrite1h = 9
	if *sum.CacheWrite1h != 1 || *sum.Reasoning != 1 {
		t.Error("the sum changed with its parts")
	}
}

func TestAddCommutesAndNothingAddsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawUsage(t), drawUsage(t)
		a.Extra, a.Cost.Extra = nil, nil
		if diff := cmp.Diff(a.Add(b), b.Add(a)); diff != "" {
			t.Fatalf("(-a+b +b+a):\n%s", diff)
		}
		for _, sum := range []Usage{a.Add(Usage{}), Usage{}.Add(a)} {
			if diff := cmp.Diff(a, sum); diff != "" {
				t.Fatalf("(-a +a and nothing):\n%s", diff)
			}
		}
	})
}
