// Shows: hooks around the calls of all tools. One stops dangerous commands, one
// repairs arguments, one takes secrets out of results.
import { defineExtension, hook, type ToolHooks, ToolTask } from "@earendil-works/pi-durable";
import type { Host } from "harness";

const dangerous = [/\brm\s+-\w*[rR]\w*\s+\/(\s|$)/, /\bmkfs\b/, />\s*\/dev\/sd/];
const secrets = /\b(?:ghp_[A-Za-z0-9]{36}|AKIA[A-Z0-9]{16}|sk-[A-Za-z0-9]{20,})\b/g;

const withoutSecrets: ToolHooks["afterTool"] = (_call, result) => {
  let found = 0;
  const content = result.content.map((part) => {
    if (part.type !== "text") return part;
    const clean = part.text.replace(secrets, () => (found++, "[secret]"));
    return { ...part, text: clean };
  });
  if (found === 0) return undefined;
  const said = { severity: "warn", message: `${found} secrets were taken out` } as const;
  return { ...result, content, diagnostics: [...(result.diagnostics ?? []), said] };
};

export default function policy(host: Host) {
  // Tools that nobody may call here; settings.json: { "policy": { "deny": ["run_check"] } }
  const denied = (tool: string): boolean => host.settings().policy?.deny?.includes(tool) ?? false;

  const around = hook(ToolTask, {
    beforeTool(call) {
      if (denied(call.name)) return { block: `${call.name} is switched off in settings.json` };
      const { command, path } = call.arguments;
      if (typeof command === "string" && dangerous.some((pattern) => pattern.test(command))) {
        return { block: `refused to run ${JSON.stringify(command)}` };
      }
      if (typeof path === "string" && path.length > 1 && path.endsWith("/")) {
        return { arguments: { ...call.arguments, path: path.replace(/\/+$/, "") } };
      }
      return undefined;
    },

    afterTool: withoutSecrets,
    onAbort: withoutSecrets,
  });

  return defineExtension({ name: "policy", hooks: [around] });
}
