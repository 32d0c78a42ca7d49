// Package durable is the engine under every conversation: it commits conversations,
// entries, documents, tasks, submissions and events together, survives being killed
// at any instant, and goes on where it stopped.
//
//	db, err := badgerdb.Open(dir, badgerdb.Options{}) // durable/storage/badgerdb
//	if err != nil { ... }
//	session, err := durable.Open(ctx, db, durable.Options{})
//	if err != nil { ... }
//	defer session.Close(context.Background())
//	err = session.Commit(ctx, func(ctx context.Context, tx *durable.Tx) error {
//		state, err := State.Edit(tx, durable.InConversation(id))
//		if err != nil {
//			return err
//		}
//		state.Seen++
//		_, err = tx.AppendEntry(id, durable.EntryDraft{Kind: "note"})
//		return err
//	})
//
// # The path of a commit
//
// A commit waits for the line, which one holds at a time (line.go). Its callback
// reads and stages changes in a transaction (tx.go). When it returns, everything
// that could be refused is refused; then the changes are adopted: they are the
// newest state, which the next callback sees, laid over what is stored (adopt.go,
// internal/overlay). The line is passed on. Meanwhile the committer stores what was
// adopted, all that is there in one commit of the storage with one sync, and only
// then is each commit published, in order, and returns (committer.go,
// publication.go). What reads outside of commits sees what is stored, and nothing
// else.
//
// # Tasks
//
// A task is a state machine whose every step is a commit ([Task], [Run]). Commits
// keep the rules of who owns whom when they are adopted (task_commit.go), and what
// follows from them, aborts that are passed down, ends that were held, tasks that can
// run, is done by the commits of one goroutine (scheduler.go). What runs is an
// invocation on a goroutine of its own (invocation.go); a task that waits for others
// has none, and costs nothing.
//
// # Conversations that answer
//
// With [Options.Runs] conversations take inputs. What is handed in gets its place at
// once or waits in the inbox (submission_admit.go, boundary.go); a task answers it
// and ends the run ([Runs], run.go). What goes on is in the built-in documents
// (builtin_*.go, usage.go), and what a model is shown is derived from the entries
// (context.go).
//
// # Events
//
// A commit may emit events into a log (event.go), which is read, followed
// (event_follow.go) and trimmed. A consumer deals with them one after another, each in
// a commit that also says how far it has got (consumer.go, consumer_reaction.go).
//
// # Watching
//
// A [Watch] follows a document, all that there is to see of a conversation, or the
// graph of tasks, commit by commit (watch.go). Publications advance what is watched,
// once for all its watches (watch_mount.go); each consumer takes frames in its own
// time (internal/frames).
//
// # Where things are
//
// Package record has what is stored, internal/table how it is laid out in a storage,
// package storage what that has to promise. Packages value and delta are the values
// of documents and their changes; internal/ownership is the picture of who works for
// whom; internal/transcript derives what a model is shown.
//
// The semantics are those of the public pi-durable engine; docs/compatibility.md has
// a row for each.
package durable
