// Package prooftest proves what conversations that think promise as a whole: that a run
// goes on to the same end wherever its process died, that many go on at once in little
// memory, that providers find in their caches what they were shown before, and that
// nothing a model says can break a conversation.
package prooftest
