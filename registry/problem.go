package registry

import "strings"

// Severity says whether a [Problem] refuses a commit.
type Severity string

const (
	// SeverityError refuses the commit. The zero value of Severity means it too.
	SeverityError Severity = "error"
	// SeverityWarning is shown, and the commit goes live.
	SeverityWarning Severity = "warning"
)

// Problem is one thing that is wrong with a commit, in words for the
// extension's author.
type Problem struct {
	Extension string `json:"extension,omitempty"`
	Position
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"` // what to do about it
	Severity Severity `json:"severity,omitempty"`
	Rule     Rule     `json:"rule,omitempty"` // which rule of this package it breaks; empty for problems found elsewhere
}

// Fatal reports whether the problem refuses the commit.
func (p Problem) Fatal() bool { return p.Severity != SeverityWarning }

// String gives "file:line:column: extension: message (hint)".
func (p Problem) String() string {
	var b strings.Builder
	if at := p.Position.String(); at != "" {
		b.WriteString(at + ": ")
	}
	if p.Extension != "" {
		b.WriteString("extension " + p.Extension + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Rule names a rule of validation.
type Rule string

// The rules that [Candidate.Validate] checks.
const (
	RuleExtensionName      Rule = "extension-name"
	RuleDuplicateExtension Rule = "duplicate-extension"
	RuleFailedExtension    Rule = "failed-extension"
	RuleOrder              Rule = "order"
	RuleScope              Rule = "scope"
	RuleRef                Rule = "ref"
	RuleAPIVersion         Rule = "api-version"
	RuleCapability         Rule = "capability"
	RuleUnsatisfied        Rule = "unsatisfied-capability"
	RuleHookKind           Rule = "hook-kind"
	RuleUndeclaredHook     Rule = "undeclared-hook"
	RuleMissingHandler     Rule = "missing-handler"
	RuleSettingsSchema     Rule = "settings-schema"
	RuleToolName           Rule = "tool-name"
	RuleToolSchema         Rule = "tool-schema"
	RuleTool               Rule = "tool"
	RuleDuplicateTool      Rule = "duplicate-tool"
	RuleSection            Rule = "section"
	RuleSectionKey         Rule = "section-key"
	RuleDuplicateSection   Rule = "duplicate-section"
	RuleWrap               Rule = "wrap"
	RuleTask               Rule = "task"
	RuleDuplicateTask      Rule = "duplicate-task"
	RuleCommandName        Rule = "command-name"
	RuleDuplicateCommand   Rule = "duplicate-command"
	RuleReservedCommand    Rule = "reserved-command"
	RuleServiceID          Rule = "service-id"
	RuleDuplicateService   Rule = "duplicate-service"
	RuleUnprovidedService  Rule = "unprovided-service"
)
