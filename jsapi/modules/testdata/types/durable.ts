// What extensions of the public engine say of documents, tasks and conversations. It
// does not run yet, and their authors' types hold.
import { type Context, defineService, isJsonValue, type JsonValue } from "@earendil-works/chord";
import type { TSchema } from "@earendil-works/pi-ai";
import {
  AgentDoc,
  configure,
  defineDoc,
  defineDocFamily,
  defineEntry,
  defineExtension,
  defineTask,
  defineTool,
  hook,
  section,
  ToolTask,
  wrapSection,
} from "@earendil-works/pi-durable";
import type {
  Agent,
  ConversationId,
  DocumentReader,
  Extension,
  HookApi,
  HookRegistration,
  PromptInput,
  PromptSection,
  RegistrySnapshot,
  TaskId,
  ToolDiagnostic,
  ToolExecutionApi,
  ToolExecutionResult,
  ToolRegistration,
  Tx,
  Wrap,
} from "@earendil-works/pi-durable";
import { Type } from "typebox";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<T extends true>(): T | undefined {
  return undefined;
}

const Settings = defineDoc({ kind: "test.settings", version: 1, scope: "session", initial: () => ({ limit: 1 }) });
const Plan = defineDoc({
  kind: "test.plan",
  version: 1,
  scope: "conversation",
  history: "rewindable",
  fork: "asOf",
  initial: (): { steps: string[] } => ({ steps: [] }),
});
const Page = defineDocFamily({ kind: "test.page", version: 1, scope: "conversation", initial: (text: string) => ({ text }) });
const Note = defineEntry<{ text: string }>("test.note");
const Work = defineTask<{ n: number }, { sum: number }>({
  name: "test.work",
  version: 1,
  initial: () => ({ phase: "add" }),
  phases: { add: async (task, runtime, context) => runtime.commit(() => task.state, context) },
  abort: () => undefined,
});

async function read(reader: DocumentReader, id: ConversationId, context: Context): Promise<void> {
  expectType<Equal<Awaited<ReturnType<typeof session>>, Readonly<{ limit: number }> | undefined>>();
  const session = () => reader.snapshot(Settings, context);
  const steps: string[] | undefined = (await reader.snapshot(Plan, id, context))?.steps;
  const text: string | undefined = (await reader.snapshot(Page, id, "first", context))?.text;
  const before = await reader.snapshotAsOf(Plan, id, 7, context);
  // @ts-expect-error a read has a context
  await reader.snapshot(Settings);
  // @ts-expect-error a document of a conversation is found by its id
  await reader.snapshot(Plan, context);
  // @ts-expect-error a document of the session is not
  await reader.snapshot(Settings, id, context);
  console.log(steps, text, before?.steps);
}

async function change(tx: Tx, id: ConversationId): Promise<TaskId<{ sum: number }>> {
  (await tx.doc(Settings)).limit++;
  (await tx.doc(Plan, id)).steps.push("one");
  (await tx.doc(Page, id, "first", "seed")).text = "changed";
  // @ts-expect-error a seed is what initial takes
  await tx.doc(Page, id, "first", 1);
  await tx.retireDoc(Page, id, "first");
  await tx.appendEntry(id, { kind: "test.note", data: { text: "x" } });
  await tx.appendEntry(Note, id, { data: { text: "x" } });
  const child = await tx.createConversation({ ownership: { kind: "ownerless" } });
  await configure(tx, child.id, { instructions: "Be brief.", tools: { remove: [{ name: "shell" }] } });
  return tx.createTask(Work, { n: 1 }, { ownership: { kind: "conversation" }, conversationId: id });
}

async function work(api: ToolExecutionApi, context: Context): Promise<ToolExecutionResult> {
  await api.details({ done: 0 });
  await api.details({ done: 1 }, context);
  const first: number = await api.memo("n", 1, context);
  const known: number | undefined = await api.memo<number>("n", context);
  // @ts-expect-error a memo has a context
  await api.memo("n");
  const id = api.conversationId;
  if (id === undefined) return { content: [{ type: "text", text: "no conversation" }] };
  const task = await api.commit((tx) => change(tx, id), context);
  const { outcome } = (await api.waitForTask(task, context)).state;
  const sum = outcome.status === "completed" ? outcome.result.sum : 0;
  expectType<Equal<typeof sum, number>>();
  const record = await api.getTask(task, context);
  const other = await api.createTask(Work, { n: 2 }, { ownership: { kind: "task", taskId: task } }, context);
  const child = await api.conversation(id, context);
  const submission = await child?.submit({ type: "input", content: "go on", requestId: "r" }, context);
  await submission?.wait(context);
  const watch = await api.watchDoc(Plan, id, context);
  watch?.start((value) => console.log(value?.steps));
  const agent: Agent = await api.agent(context);
  const seen: RegistrySnapshot | undefined = api.registry;
  await read(api, id, context);
  console.log(first, known, record?.kind, other, agent.tools.map((tool) => tool.name), seen?.extension("x")?.name, api.env?.cwd);
  return { isError: false, details: { sum }, control: { terminate: true } };
}

const parameters: TSchema = Type.Object({});
const tool: ToolRegistration = defineTool({ name: "work", description: "Works.", parameters, execute: (_, api, ctx) => work(api, ctx) });

const facts: PromptSection = section("facts", async (input: PromptInput, context) => {
  const plan = await input.read.snapshot(Plan, input.conversationId, context);
  return `${plan?.steps.length} ${input.env?.cwd} ${Object.keys(input.shown).length} ${input.agent.instructions}`;
});

const remark: ToolDiagnostic = { severity: "warn", message: "slow", code: "slow" };
const watched: HookRegistration = hook(ToolTask, {
  async beforeTool(call, api: HookApi, context) {
    const agent = api.conversationId === undefined ? undefined : await api.snapshot(AgentDoc, api.conversationId, context);
    const kept = await api.memo(call.id, agent?.model?.modelId ?? null, context);
    return kept === null ? { block: "no model" } : undefined;
  },
  afterTool: (_call, result) => ({ ...result, diagnostics: [remark] }),
});

const wraps: Wrap[] = [wrapSection(facts, (inner) => ({ ...inner, tag: false }))];
const extension: Extension = defineExtension({
  name: "durable",
  tools: [tool],
  sections: [facts],
  hooks: [watched],
  wraps,
  tasks: [Work],
});
export default extension;

export function parsed(text: string): JsonValue {
  const value: unknown = JSON.parse(text);
  if (!isJsonValue(value)) throw new TypeError("no JSON");
  return value;
}
export const Parser = defineService<{ parse(text: string): JsonValue }>("parser");
