package durable

// consumerName identifies a consumer of events.
type consumerName struct{ owner, name string }
