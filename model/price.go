package model

import "github.com/seed-d579e5eb/harness/model/message"

// Prices are what a model costs.
type Prices struct {
	Rates
	// Tiers are other rates for large prompts.
	Tiers []PriceTier `json:"tiers,omitempty"`
}

// Rates are prices for a million tokens.
type Rates struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// PriceTier are the rates of a whole request whose prompt, cached parts included, has
// more tokens than InputTokensAbove. The highest tier that is reached counts.
type PriceTier struct {
	Rates
	InputTokensAbove int64 `json:"inputTokensAbove"`
}

// of returns the rates for a prompt of so many tokens.
func (p Prices) of(prompt int64) Rates {
	rates, reached := p.Rates, int64(-1)
	for _, tier := range p.Tiers {
		if prompt > tier.InputTokensAbove && tier.InputTokensAbove > reached {
			rates, reached = tier.Rates, tier.InputTokensAbove
		}
	}
	return rates
}

// CostOf returns what a usage costs at the model's prices. What is kept in the cache
// for an hour costs twice as much as input.
func (m *Model) CostOf(usage message.Usage) message.Cost {
	const million = 1e6
	rates := m.Cost.of(usage.Input + usage.CacheRead + usage.CacheWrite)
	long := int64(0)
	if usage.CacheWrite1h != nil {
		long = *usage.CacheWrite1h
	}
	short := usage.CacheWrite - long
	cost := message.Cost{
		Input:      rates.Input * float64(usage.Input) / million,
		Output:     rates.Output * float64(usage.Output) / million,
		CacheRead:  rates.CacheRead * float64(usage.CacheRead) / million,
		CacheWrite: (rates.CacheWrite*float64(short) + rates.Input*2*float64(long)) / million,
	}
	cost.Total = cost.Input + cost.Output + cost.CacheRead + cost.CacheWrite
	return cost
}
