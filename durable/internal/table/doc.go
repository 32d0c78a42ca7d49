// Package table lays records out in a storage: rows by id, and the indices that
// make each scan of a session a scan of neighbouring keys.
//
// Nothing here decides whether a change is allowed; a session does. A change
// becomes the writes of one commit through [Writer], and a [Reader] reads them back
// from a snapshot, or from a snapshot with changes over it that are on their way.
//
// Ids and commit numbers in keys have eight bytes, highest first, so that keys are
// in the order of ids. Text in keys is followed by 00 01, with each 00 in it written
// as 00 ff, so that no text is the beginning of another.
package table
