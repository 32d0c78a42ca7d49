// Package rules holds the rules of the repository that neither the compiler nor
// a linter knows, as tests: which package may import which, what a file may hold,
// what every test owes. Each test says why its rule is there.
package rules
