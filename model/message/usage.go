package message

// Usage is what a response took, in tokens.
type Usage struct {
	// Input counts the prompt without what the cache gave or took.
	Input  int64
	Output int64
	// CacheRead and CacheWrite count the part of the prompt that was read from the
	// provider's cache, and that was written to it.
	CacheRead  int64
	CacheWrite int64
	// CacheWrite1h is the part of CacheWrite that is kept for an hour; nil when the
	// provider does not say.
	CacheWrite1h *int64
	// Reasoning is the part of Output that was thinking; nil when the provider does
	// not say.
	Reasoning   *int64
	TotalTokens int64
	Cost        Cost
	Extra       Extra
}

// Cost is what a response costs, in the currency of the model's prices.
type Cost struct {
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
	Total      float64
	// TotalFromProvider says that Total is what the provider charged, and no
	// estimate from prices. Absent when false.
	TotalFromProvider bool
	Extra             Extra
}

// Add returns the sum of two usages. What neither says is not said of the sum; the
// total is the provider's when each part of it is. Extra members have no known
// meaning, so the sum has none of them.
func (u Usage) Add(other Usage) Usage {
	return Usage{
		Input:        u.Input + other.Input,
		Output:       u.Output + other.Output,
		CacheRead:    u.CacheRead + other.CacheRead,
		CacheWrite:   u.CacheWrite + other.CacheWrite,
		CacheWrite1h: addSaid(u.CacheWrite1h, other.CacheWrite1h),
		Reasoning:    addSaid(u.Reasoning, other.Reasoning),
		TotalTokens:  u.TotalTokens + other.TotalTokens,
		Cost:         u.Cost.add(other.Cost),
	}
}

func (c Cost) add(other Cost) Cost {
	estimated := c.Total != 0 && !c.TotalFromProvider || other.Total != 0 && !other.TotalFromProvider
	return Cost{
		Input:             c.Input + other.Input,
		Output:            c.Output + other.Output,
		CacheRead:         c.CacheRead + other.CacheRead,
		CacheWrite:        c.CacheWrite + other.CacheWrite,
		Total:             c.Total + other.Total,
		TotalFromProvider: !estimated && (c.TotalFromProvider || other.TotalFromProvider),
	}
}

// addSaid adds two counts of which either may be unknown.
func addSaid(a, b *int64) *int64 {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return new(*b)
	case b == nil:
		return new(*a)
	}
	return new(*a + *b)
}
