/** The transaction of a commit, as authors change the session with it. */

import type { Context } from "@earendil-works/chord/context";
import { addressed, seedText } from "harness:bind/documents";
import { Draft } from "harness:bind/drafts";
import { named } from "harness:bind/errors";
import { type Remote, withText } from "harness:bind/remote";
import { strictText } from "harness:bind/strict";

const over = "the commit that it belongs to has ended";

/** What is known of a transaction while its callback runs. */
class Work {
  readonly remote: Remote;
  private readonly drafts = new Map<number, Draft>();
  // What was asked is answered one after another, in the order it was asked.
  private line: Promise<unknown> = Promise.resolve();
  private returned = false; // the change has: nobody waits for what fails now
  private refused: { error: unknown } | undefined; // why the commit is
  private acquiring = 0;
  private ended = false;

  constructor(remote: Remote) {
    this.remote = remote;
  }

  // What was edited so far is told first, so that Go sees changes in their order.
  async ask(operation: string, args: object | string, ...functions: (Function | undefined)[]): Promise<any> {
    if (this.ended) throw named("TransactionEnded", `tx.${operation}: ${over}`);
    this.tell();
    return this.next(operation, typeof args === "string" ? args : JSON.stringify(args), ...functions);
  }

  private next(operation: string, args: string, ...functions: (Function | undefined)[]): Promise<any> {
    const answer = this.line.then(() => this.remote(operation, args, undefined, ...functions));
    this.line = answer.catch((error: unknown) => {
      if (this.returned) this.refused ??= { error };
    });
    return answer;
  }

  private tell(): void {
    for (const [draft, edited] of this.drafts) {
      const text = edited.takeEdited();
      if (text === undefined) continue;
      void this.next("set", withText({ draft }, "value", text)).catch((error: unknown) => (this.refused ??= { error }));
    }
  }

  draft(token: any, args: unknown[]): Promise<any> {
    const { at, code, rest } = addressed("tx.doc", token, args);
    return this.acquire(at, code, at.family ? seedText(at.kind, rest[0]) : undefined);
  }

  private async acquire(at: ReturnType<typeof addressed>["at"], code: (Function | undefined)[], seed: unknown): Promise<any> {
    this.acquiring++;
    try {
      const got = await this.ask("doc", { ...at, seed }, ...code);
      let draft = this.drafts.get(got.draft);
      if (draft === undefined) {
        draft = new Draft(`the document ${at.kind}`, got.value);
        if (this.ended) draft.end(over);
        this.drafts.set(got.draft, draft);
      }
      return draft.face;
    } finally {
      this.acquiring--;
    }
  }

  retire(token: any, args: unknown[]): Promise<void> {
    const { at, code } = addressed("tx.retireDoc", token, args);
    return this.drop(at, code);
  }

  private async drop(at: object, code: (Function | undefined)[]): Promise<void> {
    const retired: number = await this.ask("retireDoc", at, ...code);
    this.drafts.get(retired)?.end("this transaction has retired it");
    this.drafts.delete(retired);
  }

  /** Ends the callback's work well: what it did not wait for is waited for now, and must work. */
  async settle(): Promise<void> {
    this.returned = true;
    if (this.acquiring > 0) {
      throw named("Unsettled", `the change returned while ${this.acquiring} documents were still being acquired: await tx.doc`);
    }
    this.tell();
    await this.line;
    if (this.refused !== undefined) throw this.refused.error;
  }

  end(): void {
    this.ended = true;
    for (const draft of this.drafts.values()) draft.end(over);
  }
}

const works = new WeakMap<object, Work>();

/** The operations of a transaction that has none of its own members, such as emit. */
export function ofTransaction(member: string, tx: unknown, operation: string, args: object): Promise<any> {
  const work = typeof tx === "object" && tx !== null ? works.get(tx) : undefined;
  if (work === undefined) throw new TypeError(`${member}: tx must be the transaction of a commit`);
  return work.ask(operation, args);
}

/** Runs an author's change as the callback of a commit. Go gives the remote and the call's context. */
export async function runChange<T>(
  remote: Remote,
  context: Context,
  change: (tx: any) => T | Promise<T>,
): Promise<T> {
  const work = new Work(remote);
  const end = () => work.end();
  context.abortSignal?.addEventListener("abort", end, { once: true });
  try {
    const result = await change(transaction(work));
    await work.settle();
    return result;
  } finally {
    end();
    context.abortSignal?.removeEventListener("abort", end);
  }
}

/** What Go calls in a commit. */
export type Callback = (remote: Remote, context: Context, ...args: any[]) => Promise<unknown>;

/**
 * Has begin make a commit with a callback that runs a change, if there is one. What the
 * change returned is result, and what it threw is thrown as it is.
 */
export async function committing<A>(
  change: ((tx: any, ...args: any[]) => unknown) | undefined,
  begin: (callback: Callback | undefined) => Promise<A>,
): Promise<{ answer: A; result: any }> {
  if (change === undefined) return { answer: await begin(undefined), result: undefined };
  if (typeof change !== "function") throw new TypeError("a commit's change must be a function");
  let result: unknown;
  let thrown: { error: unknown } | undefined;
  const callback: Callback = async (remote, context, ...args) => {
    try {
      result = await runChange(remote, context, (tx) => change(tx, ...args));
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  try {
    return { answer: await begin(callback), result };
  } catch (error) {
    if (thrown !== undefined && (error as Error | undefined)?.name !== "CommitTimeout") throw thrown.error;
    throw error;
  }
}

/** Commits a change, and gives what it returned. */
export async function commit(change: any, begin: (callback: Callback) => Promise<unknown>): Promise<any> {
  if (change === undefined) throw new TypeError("a commit's change must be a function");
  return (await committing(change, (callback) => begin(callback!))).result;
}

/** What a task's token has to be to make a task of it. */
export function taskText(member: string, task: any, input: unknown, options: any): string {
  const definition = task?.definition;
  if (typeof definition !== "object" || definition === null) throw new TypeError(`${member}: the task must be a token of defineTask`);
  const given = strictText(input === undefined ? null : input, `the input of the task ${definition.name}`);
  const checkpoint = strictText(definition.initial(JSON.parse(given)), `initial of the task ${definition.name}`);
  const { name, version, phases } = definition;
  const rest = withText({ name, version, phases: Object.keys(phases ?? {}), options: options ?? {} }, "checkpoint", checkpoint);
  return `${rest.slice(0, -1)},"input":${given}}`;
}

/** An entry as Go reads it. data is strict JSON. */
export function entryText(entry: any): string {
  if (typeof entry !== "object" || entry === null) throw new TypeError("appendEntry: the entry must be an object");
  const { data, ...rest } = entry;
  return data === undefined ? JSON.stringify(rest) : withText(rest, "data", strictText(data, `data of the entry ${entry.kind}`));
}

function transaction(work: Work): object {
  const tx = {
    doc: (token: unknown, ...args: unknown[]) => work.draft(token, args),
    retireDoc: (token: unknown, ...args: unknown[]) => work.retire(token, args),

    conversation: (id: number) => work.ask("conversation", { id }),
    entry: (first: any, id?: number) =>
      typeof first === "object" && first !== null ? work.ask("entry", { kind: first.kind, id }) : work.ask("entry", { id: first }),
    task: (id: number) => work.ask("task", { id }),
    submission: (id: number) => work.ask("submission", { id }),
    submissionByRequest: (conversationId: number, requestId: string) => work.ask("submissionByRequest", { conversationId, requestId }),
    latestHeadMarker: (id: number) => work.ask("latestHeadMarker", { id }),
    scanConversations: (query: object, limit: number, cursor?: object) => work.ask("scanConversations", { query, limit, cursor }),
    scanEntries: (query: object, limit: number, cursor?: object) => work.ask("scanEntries", { query, limit, cursor }),
    scanTasks: (query: object, limit: number, cursor?: object) => work.ask("scanTasks", { query, limit, cursor }),

    createConversation: (options: any) =>
      options?.parent === undefined
        ? work.ask("createConversation", { ownership: options?.ownership })
        : work.ask("forkConversation", { parent: options.parent.conversationId, at: options.parent.at, ownership: options.ownership }),
    forkConversation: (parent: number, at: number, options: any) => work.ask("forkConversation", { parent, at, ownership: options?.ownership }),
    appendEntry: (first: any, second: any, third?: any) => {
      const [id, entry] = typeof first === "object" ? [second, { ...third, kind: first.kind }] : [first, second];
      return work.ask("appendEntry", withText({ id }, "entry", entryText(entry)));
    },
    createTask: (task: any, input: unknown, options: any) =>
      work.ask("createTask", taskText("tx.createTask", task, input, options)),
    createSubmission: (submission: object) => work.ask("createSubmission", submission),
    settleSubmission: (id: number, settlement: object) => work.ask("settleSubmission", { ...settlement, id }),
    placeSubmission: (id: number, entry: number) => work.ask("placeSubmission", { id, entry }),
    submit: (id: number, submission: object) => work.ask("submit", { id, submission: submissionOf(submission) }),
  };
  works.set(tx, work);
  return Object.freeze(tx);
}

/** A submission as Go reads it. */
export function submissionOf(submission: any): object {
  const { entry, ...rest } = submission ?? {};
  return entry === undefined ? rest : { ...rest, entry: JSON.parse(entryText(entry)) };
}
