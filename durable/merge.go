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
// new one: one that looks the same; or else, when the lists are equally long and
// nothing has moved, the one in its place. Nothing less tells which item it is, and a
// wrong one would get what the view does not show of another.
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
	if len(before) != len(after) {
		return from
	}
	for i, j := range from {
		if j >= 0 && j != i {
			return from
		}
	}
	for i := range from {
		from[i] = i
	}
	return from
}
