// Shows: a task, which is work that outlives calls, commits and restarts. It waits, and
// hands an input in to the conversation that asked for it.
import { defineExtension, defineTask, defineTool } from "@earendil-works/pi-durable";
import { Type } from "typebox";
import { text } from "../../shared/text.ts";

const Reminder = defineTask<{ about: string; at: number }, null>({
  name: "reminder",
  version: 1,
  initial: () => ({ phase: "waiting" }),
  phases: {
    async waiting(task, runtime, context) {
      await runtime.sleep(task.input.at, context);
      // The input and the end of the task are one commit: there is one reminder, whatever happens.
      await runtime.commit(async (tx) => {
        await tx.submit(task.conversationId, { type: "input", content: `Reminder: ${task.input.about}`, whenBusy: "followUp" });
        return { status: "terminal", outcome: { status: "completed", result: null } };
      }, context);
    },
  },
  abort: (_task, runtime, context) =>
    runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), context),
});

export default defineExtension({
  name: "reminder",
  tasks: [Reminder],
  tools: [
    defineTool({
      name: "remind_me",
      description: "Comes back to something later.",
      parameters: Type.Object({ about: Type.String({ minLength: 1 }), seconds: Type.Number({ minimum: 0 }) }),
      async execute({ about, seconds }, api, context) {
        const at = Date.now() + seconds * 1000;
        // The work is the conversation's, and does not keep it busy.
        const task = await api.createTask(Reminder, { about, at }, { ownership: { kind: "conversation" }, background: true }, context);
        return { ...text(`Reminds at ${new Date(at).toISOString()}.`), details: { task } };
      },
    }),
  ],
});
