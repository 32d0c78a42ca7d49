// Shows: a document that a conversation keeps, a tool that changes it, a section that
// shows it to the model at each request, and a hook that looks at answers.
import { defineDoc, defineExtension, defineTool, GenerationTask, hook, section } from "@earendil-works/pi-durable";
import type { Host } from "harness";
import { type Static, Type } from "typebox";
import { text } from "../../shared/text.ts";

const Steps = Type.Array(Type.Object({ title: Type.String({ minLength: 1 }), done: Type.Boolean() }));

const Plan = defineDoc({
  kind: "plan.steps",
  version: 1,
  scope: "conversation",
  // A fork of the conversation begins with the plan as it was there.
  history: "rewindable",
  fork: "asOf",
  initial: (): { steps: Static<typeof Steps>; remindedOf: number } => ({ steps: [], remindedOf: 0 }),
});

export default function plan(host: Host) {
  const tool = defineTool({
    name: "plan",
    description: "Writes down the steps of a longer piece of work, all of them each time. Mark those that are done.",
    parameters: Type.Object({ steps: Steps }),
    async execute({ steps }, api, context) {
      const { conversationId } = api;
      if (conversationId === undefined) throw new Error("a plan belongs to a conversation");
      await api.commit(async (tx) => {
        const plan = await tx.doc(Plan, conversationId);
        plan.steps = steps;
        plan.remindedOf = 0;
      }, context);
      return text(`Steps that are open: ${steps.filter((step) => !step.done).length}`);
    },
  });

  const shown = section("plan", async ({ conversationId, read }, context) => {
    const plan = await read.snapshot(Plan, conversationId, context);
    if (plan === undefined || plan.steps.length === 0) return undefined;
    return plan.steps.map(({ title, done }) => `[${done ? "x" : " "}] ${title}`).join("\n");
  });

  // Has the model go on when it stops before the end, once for each state of the plan.
  const goOn = hook(GenerationTask, {
    async onYield(_answer, api, context) {
      const { conversationId } = api;
      const plan = conversationId && (await api.snapshot(Plan, conversationId, context));
      const open = plan ? plan.steps.filter((step) => !step.done).length : 0;
      if (!conversationId || !plan || open === 0) return undefined;
      // The hook may run again after a crash: the memo has what it decided the first time.
      const remind = await api.memo("remind", plan.remindedOf !== open, context);
      if (!remind) return undefined;
      await host.harness().commit(async (tx) => {
        (await tx.doc(Plan, conversationId)).remindedOf = open;
      }, context);
      return { continue: `Steps of the plan that are open: ${open}. Go on, or write the plan anew.` };
    },
  });

  return defineExtension({ name: "plan", tools: [tool], sections: [shown], hooks: [goOn] });
}
