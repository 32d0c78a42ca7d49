/** The open harness: conversations, tasks and documents of the world's session. */

import type { Context } from "@earendil-works/chord/context";
import { documentObserver, addressed } from "harness:bind/documents";
import { named } from "harness:bind/errors";
import { agentNames } from "harness:internal/agent";
import { watchingEvents } from "harness:internal/events";
import { models } from "harness:internal/models";
import { ask, type Remote } from "harness:bind/remote";
import { commit, committing, submissionOf } from "harness:bind/transaction";
import { attachedState, eventStream, watchHandle } from "harness:bind/watches";

/** Makes the harness over Go's engine. */
export function createHarness(engine: Remote, registry: object): object {
  const conversation = (id: number) => createConversation(engine, id);
  const made = (operation: string, args: object, options: any, context?: Context) =>
    makeConversation(engine, operation, args, options, context);
  return Object.freeze({
    ...documentObserver(engine),
    [watchingEvents]: async (id: number, context?: Context) => eventStream(await ask(engine, "watchEvents", { id }, context)),
    registry,
    models,
    documentState: async (token: unknown, ...args: unknown[]) => {
      const { at, code, rest } = addressed("documentState", token, args);
      const watch = await ask(engine, "watchDoc", at, rest[0] as Context, ...code);
      return watch && attachedState(watch);
    },
    commit: (change: any, context?: Context) => commit(change, (callback) => ask(engine, "commit", {}, context, callback)),

    root: (context?: Context, options?: any) => made("root", {}, options, context),
    conversation: async (id: number, context?: Context) =>
      (await ask(engine, "conversation", { id }, context)) && conversation(id),
    createConversation: (options: any, context?: Context) => made("createConversation", {}, options, context),

    resume: () => void ask(engine, "resume", {}),
    waitForIdle: (context?: Context) => ask(engine, "waitForIdle", {}, context),
    inspect: (context?: Context) => ask(engine, "inspect", {}, context),
    usage: (context?: Context) => ask(engine, "usage", {}, context),

    getTask: (id: number, context?: Context) => ask(engine, "getTask", { id }, context),
    waitForTask: (id: number, context?: Context) => ask(engine, "waitForTask", { id }, context),
    abortTask: (id: number, context?: Context) => ask(engine, "abortTask", { id }, context),
    retryTask: (id: number, context?: Context) => ask(engine, "retryTask", { id }, context),
    taskGraph: async (context?: Context) => attachedState(await ask(engine, "watchTaskGraph", {}, context)),
    watchTaskGraph: async (context?: Context) => watchHandle(await ask(engine, "watchTaskGraph", {}, context)),

    submission: async (id: number, context?: Context) => {
      try {
        await ask(engine, "submissionStatus", { id }, context);
      } catch (error) {
        if ((error as Error).name === "NotFound") return undefined;
        throw error;
      }
      return createSubmission(engine, id);
    },
    abortSubmission: (id: number, context?: Context) => ask(engine, "abortSubmission", { id }, context),

    scanConversations: (query: object, limit: number, cursor?: object, context?: Context) =>
      ask(engine, "scanConversations", { query, limit, cursor }, context),
    scanTasks: (query: object, limit: number, cursor?: object, context?: Context) =>
      ask(engine, "scanTasks", { query, limit, cursor }, context),
    scanSubmissions: (query: object, limit: number, cursor?: object, context?: Context) =>
      ask(engine, "scanSubmissions", { query, limit, cursor }, context),
    entry: (id: number, context?: Context) => ask(engine, "entry", { id }, context),

    close: async () => {
      throw named("NotAvailable", "harness().close: who opened the harness closes it");
    },
  });
}

async function makeConversation(engine: Remote, operation: string, args: object, options: any, context?: Context): Promise<object> {
  const { ownership, agent, init } = options ?? {};
  const asked = { ...args, ownership, agent: agentNames(agent) };
  const { answer: id } = await committing(init, (callback) => ask(engine, operation, asked, context, callback));
  return createConversation(engine, id);
}

function createConversation(engine: Remote, id: number): object {
  return Object.freeze({
    id,
    submit: async (submission: any, context?: Context) =>
      createSubmission(engine, await ask(engine, "submit", { id, submission: submissionOf(submission) }, context)),
    agent: (context?: Context) => ask(engine, "agent", { id }, context),
    configure: async (change: any, context?: Context) => ask(engine, "configure", { id, agent: agentNames(change) }, context),
    commit: (change: any, context?: Context) => commit(change, (callback) => ask(engine, "commit", { id }, context, callback)),
    context: (context?: Context, options?: { at?: number }) => ask(engine, "context", { id, at: options?.at }, context),
    entries: (query: any, limit: number, cursor?: object, context?: Context) =>
      ask(engine, "scanEntries", { query: { ...query, conversationId: id }, limit, cursor }, context),
    fork: (at: number, options: any, context?: Context) => makeConversation(engine, "fork", { id, at }, options, context),
    compact: (instructions?: string, context?: Context) => ask(engine, "compact", { id, instructions }, context),
    reset: (handoff?: string, context?: Context) => ask(engine, "reset", { id, handoff }, context),
    abort: (context?: Context, options?: { background?: boolean }) =>
      ask(engine, "abort", { id, background: options?.background }, context),
    waitForIdle: (context?: Context) => ask(engine, "waitForIdle", { id }, context),
    viewState: async (context?: Context) => attachedState(await ask(engine, "watch", { id }, context)),
    watch: async (context?: Context) => watchHandle(await ask(engine, "watch", { id }, context)),
  });
}

/** A way to something that was handed in. */
export function createSubmission(engine: Remote, id: number): object {
  return Object.freeze({
    id,
    status: (context?: Context) => ask(engine, "submissionStatus", { id }, context),
    wait: (context?: Context) => ask(engine, "waitForSubmission", { id }, context),
    abort: (context?: Context) => ask(engine, "abortSubmission", { id }, context),
  });
}
