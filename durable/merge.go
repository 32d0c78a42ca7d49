package durable

import "github.com/seed-d579e5eb/harness/durable/value"

// merged returns a value with what changed between two views of it, which may not
// show all of it, and may show members that it does not have. Of what changed in both
// the view's counts.
func merged(now, seen, says value.Value) value.Value {
	if value.Equal(seen, says) {
		return now
	}
	if value.Equal(seen, now) {
		return says
	}
	switch says := says.(type) {
	case *value.Object:
		now, one := now.(*value.Object)
		seen, two := seen.(*value.Object)
		if one && two {
			return mergedObject(now, seen, says)
		}
	case value.Array:
		now, one := now.(value.Array)
		seen, two := seen.(value.Array)
		if one && two && len(now) == len(seen) {
			return mergedArray(now, seen, says)
		}
	}
	return says
}

func mergedObject(now, seen, says *value.Object) value.Value {
	b := now.Edit()
	for key := range seen.All() {
		if _, stays := says.Get(key); !stays {
			b.Delete(key)
		}
	}
	for key, member := range says.All() {
		before, shown := seen.Get(key)
		if shown && value.Equal(before, member) {
			continue
		}
		if has, there := b.Get(key); shown && there {
			member = merged(has, before, member)
		}
		b.Set(key, member)
	}
	return b.Object()
}

// mergedArray gives items that stayed, perhaps at another place or changed, what the
// view does not show of them.
func mergedArray(now, seen, says value.Array) value.Value {
	items := make(value.Array, len(says))
	for i, from := range paired(seen, says) {
		items[i] = says[i]
		if from >= 0 {
			items[i] = merged(now[from], seen[from], says[i])
		}
	}
	return items
}

// paired returns for each item of a list which one of an earlier list it is, -1 for a
// new one: one that looks the same; or else one with a text or a number in common;
// or else, when the lists are equally long, the one in its place.
func paired(before, after value.Array) []int {
	from := make([]int, len(after))
	taken := make([]bool, len(before))
	for i := range from {
		from[i] = -1
	}
	pair := func(i, j int) { from[i], taken[j] = j, true }

	same := min(len(before), len(after))
	front := 0
	for front < same && value.Equal(before[front], after[front]) {
		pair(front, front)
		front++
	}
	for back := 1; back <= same-front && value.Equal(before[len(before)-back], after[len(after)-back]); back++ {
		pair(len(after)-back, len(before)-back)
	}
	looks := make(map[string][]int)
	for j, item := range before {
		if !taken[j] {
			text := string(value.Marshal(item))
			looks[text] = append(looks[text], j)
		}
	}
	for i, item := range after {
		if from[i] >= 0 {
			continue
		}
		text := string(value.Marshal(item))
		if places := looks[text]; len(places) > 0 {
			pair(i, places[0])
			looks[text] = places[1:]
		}
	}
	pairSimilar(before, after, from, taken)
	for i := range after {
		if len(before) == len(after) && from[i] < 0 && !taken[i] {
			pair(i, i)
		}
	}
	return from
}

// pairSimilar pairs what has something in common, in the order of both lists. It
// looks at so many items for each, so that long lists do not take for ever.
func pairSimilar(before, after value.Array, from []int, taken []bool) {
	const looked = 64
	next := 0
	for i := range after {
		if from[i] >= 0 {
			continue
		}
		for j, n := next, 0; j < len(before) && n < looked; j++ {
			if taken[j] {
				continue
			}
			n++
			if similar(before[j], after[i]) {
				from[i], taken[j], next = j, true, j+1
				break
			}
		}
	}
}

// similar says whether two objects have a member in common that can tell things
// apart: a text or a number that is not empty.
func similar(a, b value.Value) bool {
	one, isOne := a.(*value.Object)
	two, isTwo := b.(*value.Object)
	if !isOne || !isTwo {
		return false
	}
	for key, member := range one.All() {
		tells := false
		switch member := member.(type) {
		case value.String:
			tells = member != ""
		case value.Number:
			tells = member != 0
		}
		if other, found := two.Get(key); tells && found && value.Equal(member, other) {
			return true
		}
	}
	return false
}
