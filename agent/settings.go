package agent

import (
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/registry"
)

// Settings are how all conversations of a harness work. They are read anew for each
// decision and never stored. The zero value is the defaults.
type Settings struct {
	// Model is that of conversations that have chosen none; nil has none for them, and
	// their runs end as "no_model".
	Model *durable.ModelRef
	// Extensions are those that take part where a conversation does not choose, in this
	// order; all that are installed when nil.
	Extensions []string
	// Stream goes with every request of a generation, and is stored with it: no secrets
	// belong into its headers.
	Stream     model.StreamOptions
	Retry      RetryPolicy
	Compaction CompactionPolicy
	Progress   Progress
	// ToolExecution is [registry.ExecutionSequential] to run the calls of a response one
	// after another, whatever their tools say.
	ToolExecution registry.ExecutionMode
	// Steering and FollowUp are how many inputs that wait a boundary takes.
	Steering, FollowUp durable.QueueMode
}

// RetryPolicy is how often a request that failed for a passing reason is made again.
type RetryPolicy struct {
	Disabled bool
	// MaxRetries is how many attempts follow the first one; 3 when 0.
	MaxRetries int
	// BaseDelay is how long the first of them waits, 2 s when 0; each further one waits
	// twice as long, but at most MaxDelay, a minute when 0.
	BaseDelay, MaxDelay time.Duration
}

// CompactionPolicy is when the context of a conversation is summarized. Counts are of
// tokens.
type CompactionPolicy struct {
	// Disabled leaves it to those who ask for it.
	Disabled bool
	// ReserveTokens stay free for the answer; 16,384 when 0.
	ReserveTokens int64
	// KeepRecentTokens is about how much of the newest messages stays as it is; 20,000
	// when 0.
	KeepRecentTokens int64
	// BackgroundTokens is how far below the size at which a request has to wait for the
	// summary one is begun beside the work; 32,768 when 0, never when negative.
	BackgroundTokens int64
}

// Progress is how often what is under way is stored.
type Progress struct {
	// PartialInterval is the least time between two commits of a response, 100 ms when 0.
	PartialInterval time.Duration
	// OutputInterval is the least time between two commits of the output of a tool, 100 ms
	// when 0. Large ones are further apart: 100 KiB a second are stored.
	OutputInterval time.Duration
}

// withDefaults returns the settings with each field that is not set at its default.
func (s Settings) withDefaults() Settings {
	or(&s.Retry.MaxRetries, 3)
	or(&s.Retry.BaseDelay, 2*time.Second)
	or(&s.Retry.MaxDelay, time.Minute)
	or(&s.Compaction.ReserveTokens, 16_384)
	or(&s.Compaction.KeepRecentTokens, 20_000)
	or(&s.Compaction.BackgroundTokens, 32_768)
	s.Compaction.BackgroundTokens = max(s.Compaction.BackgroundTokens, 0)
	or(&s.Progress.PartialInterval, 100*time.Millisecond)
	or(&s.Progress.OutputInterval, 100*time.Millisecond)
	return s
}

func or[T comparable](field *T, fallback T) {
	var unset T
	if *field == unset {
		*field = fallback
	}
}

// delay returns how long to wait after an attempt that failed, the first being 1, and
// whether there is another one.
func (p RetryPolicy) delay(attempt int) (time.Duration, bool) {
	if p.Disabled || attempt > p.MaxRetries {
		return 0, false
	}
	return model.RetryDelay(p.BaseDelay, p.MaxDelay, attempt), true
}
