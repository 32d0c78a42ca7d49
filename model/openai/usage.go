package openai

import (
	"encoding/json"

	"github.com/seed-d579e5eb/harness/model/message"
)

// counts are the tokens of a response as servers tell them, which differ in where they
// tell of the cache.
type counts struct {
	Prompt        count  `json:"prompt_tokens"`
	Completion    count  `json:"completion_tokens"`
	CacheHit      *count `json:"prompt_cache_hit_tokens"`
	Cached        *count `json:"cached_tokens"`
	Reasoning     *count `json:"reasoning_tokens"`
	PromptDetails struct {
		Cached     *count `json:"cached_tokens"`
		CacheWrite count  `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning *count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// count is a number of tokens; what is none, or makes no sense, is 0.
type count int64

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (c *count) UnmarshalJSON(text []byte) error {
	var number float64
	*c = 0
	if json.Unmarshal(text, &number) == nil && number > 0 && number < 1<<53 {
		*c = count(number)
	}
	return nil
}

// usage takes the counts of a chunk, if it has any; the last ones count.
func (r *reader) usage(text json.RawMessage) {
	var sent *counts
	if json.Unmarshal(text, &sent) != nil || sent == nil {
		return
	}
	read := int64(0)
	for _, cached := range []*count{sent.PromptDetails.Cached, sent.CacheHit, sent.Cached} {
		if cached != nil {
			read = int64(*cached)
			break
		}
	}
	written := int64(sent.PromptDetails.CacheWrite)
	usage := message.Usage{
		Input:  max(int64(sent.Prompt)-read-written, 0),
		Output: int64(sent.Completion), CacheRead: read, CacheWrite: written,
	}
	for _, reasoning := range []*count{sent.CompletionDetails.Reasoning, sent.Reasoning} {
		if reasoning != nil {
			usage.Reasoning = new(int64(*reasoning))
			break
		}
	}
	usage.TotalTokens = usage.Input + usage.Output + read + written
	usage.Cost = r.model.CostOf(usage)
	r.w.Update(func(m *message.Assistant) { m.Usage = usage })
}
