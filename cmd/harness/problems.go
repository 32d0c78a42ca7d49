package main

import (
	"strings"

	"github.com/seed-d579e5eb/harness/registry"
)

// problemText gives problems one after another, each with its place and its source
// line.
func problemText(problems []registry.Problem) string {
	var texts []string
	for _, problem := range problems {
		texts = append(texts, problem.String())
	}
	return strings.Join(texts, "\n")
}
