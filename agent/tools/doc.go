// Package tools has the tools that agents work on files and with commands with: read,
// write, edit and bash. They reach the world through the environment of each call
// alone, so that a conversation's folder or sandbox needs no tools of its own.
//
// Paths that are not absolute begin at the folder of the conversation. What the model is
// to know beside a tool's data, such as how a reading goes on, is in diagnostics.
package tools
