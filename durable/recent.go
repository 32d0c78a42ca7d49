package durable

import (
	"container/list"
	"sync"
)

// recent remembers values, and forgets those that were used the longest ago above a
// limit of bytes. It is safe for concurrent use.
type recent[K comparable, V any] struct {
	limit int // bytes

	mu    sync.Mutex
	size  int
	known map[K]*list.Element
	used  list.List // of *remembered[K, V], the newest in use first
}

type remembered[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// get returns what is remembered for a key, and whether anything is.
func (c *recent[K, V]) get(key K) (value V, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.known[key]
	if element == nil {
		return value, false
	}
	c.used.MoveToFront(element)
	return element.Value.(*remembered[K, V]).value, true
}

// put remembers a value of so many bytes for a key, in place of another, unless
// replaces is false for that one.
func (c *recent[K, V]) put(key K, value V, size int, replaces func(before V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.known[key]; before != nil {
		if !replaces(before.Value.(*remembered[K, V]).value) {
			return
		}
		c.drop(before)
	}
	if c.known == nil {
		c.known = make(map[K]*list.Element)
	}
	c.known[key] = c.used.PushFront(&remembered[K, V]{key, value, size})
	c.size += size
	for c.size > c.limit {
		c.drop(c.used.Back())
	}
}

// forget drops what is remembered for a key.
func (c *recent[K, V]) forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.known[key]; element != nil {
		c.drop(element)
	}
}

func (c *recent[K, V]) drop(element *list.Element) {
	gone := c.used.Remove(element).(*remembered[K, V])
	c.size -= gone.size
	delete(c.known, gone.key)
}
