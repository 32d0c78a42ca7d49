package model

import "slices"

// ThinkingLevel is how much a model thinks before it speaks.
type ThinkingLevel string

// The levels of thinking, from none to most.
const (
	ThinkingOff     ThinkingLevel = "off"
	ThinkingMinimal ThinkingLevel = "minimal"
	ThinkingLow     ThinkingLevel = "low"
	ThinkingMedium  ThinkingLevel = "medium"
	ThinkingHigh    ThinkingLevel = "high"
	ThinkingXHigh   ThinkingLevel = "xhigh"
	ThinkingMax     ThinkingLevel = "max"
)

// ThinkingLevels returns all levels, from none to most.
func ThinkingLevels() []ThinkingLevel {
	return []ThinkingLevel{
		ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh, ThinkingMax,
	}
}

// Valid says whether the level is one of [ThinkingLevels].
func (l ThinkingLevel) Valid() bool { return slices.Contains(ThinkingLevels(), l) }

// ThinkingLevels returns the levels that the model has, from none to most. xhigh and
// max are among them only when the model has a word for them.
func (m *Model) ThinkingLevels() []ThinkingLevel {
	if !m.Reasoning {
		return []ThinkingLevel{ThinkingOff}
	}
	return slices.DeleteFunc(ThinkingLevels(), func(level ThinkingLevel) bool {
		word, mapped := m.ThinkingLevelMap[level]
		if level == ThinkingXHigh || level == ThinkingMax {
			return word == nil
		}
		return mapped && word == nil
	})
}

// ClampThinking returns the level of the model that is meant by level: the same, or
// else the next higher one, or else the next lower one. Without any level, and for
// one that is not valid, it is the model's lowest, or off.
func (m *Model) ClampThinking(level ThinkingLevel) ThinkingLevel {
	all, have := ThinkingLevels(), m.ThinkingLevels()
	at := slices.Index(all, level)
	if at >= 0 {
		for _, higher := range all[at:] {
			if slices.Contains(have, higher) {
				return higher
			}
		}
		for _, lower := range slices.Backward(all[:at]) {
			if slices.Contains(have, lower) {
				return lower
			}
		}
	}
	if len(have) == 0 {
		return ThinkingOff
	}
	return have[0]
}

// ThinkingWord returns the provider's word for a level that the model has: the mapped
// one, or the level itself.
func (m *Model) ThinkingWord(level ThinkingLevel) string {
	if word := m.ThinkingLevelMap[level]; word != nil {
		return *word
	}
	return string(level)
}
