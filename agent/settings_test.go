package agent_test

import (
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
)

func TestSettingsHaveDefaultsAndAreReadEachTime(t *testing.T) {
	var now agent.Settings
	h := open(t, agent.Options{Settings: func() agent.Settings { return now }})
	want := agent.Settings{
		Retry:      agent.RetryPolicy{MaxRetries: 3, BaseDelay: 2 * time.Second, MaxDelay: time.Minute},
		Compaction: agent.CompactionPolicy{ReserveTokens: 16384, KeepRecentTokens: 20000, BackgroundTokens: 32768},
		Progress:   agent.Progress{PartialInterval: 100 * time.Millisecond, OutputInterval: 100 * time.Millisecond},
	}
	if got := h.Settings(); got.Retry != want.Retry || got.Compaction != want.Compaction || got.Progress != want.Progress || got.ToolExecution != "" || got.Extensions != nil {
		t.Errorf("the defaults are %+v", got)
	}
	now.Retry.MaxRetries, now.Compaction.BackgroundTokens = 7, -1
	if got := h.Settings(); got.Retry.MaxRetries != 7 || got.Retry.BaseDelay != 2*time.Second || got.Compaction.BackgroundTokens != 0 {
		t.Errorf("after a change they are %+v", got)
	}
}
