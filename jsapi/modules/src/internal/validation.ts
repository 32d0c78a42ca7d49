/** Values held against JSON Schema, by the host. */

import { native } from "harness:native";

/** How a value fits a schema. */
export interface Validated {
  /** It fits as it is. */
  fits: boolean;
  /** The value, converted where that makes it fit. */
  converted: unknown;
  /** What is wrong, also after that. */
  flaws: { path: string; message: string }[];
}

// The host judges objects, so the value is put into one.
export function validated(schema: object, value: unknown): Validated {
  const wrapped = { type: "object", properties: { value: schema }, required: ["value"] };
  const given = JSON.stringify({ value });
  const { value: text, flaws } = native.validate("value", JSON.stringify(wrapped), given);
  if (flaws !== undefined) return { fits: false, converted: value, flaws: flaws.map(flaw) };
  return { fits: text === given, converted: JSON.parse(text!).value, flaws: [] };
}

// "value.list.0: message" is a flaw at /list/0.
function flaw(text: string): { path: string; message: string } {
  const [, at = "", message = text] = /^([^:]*): (.*)$/s.exec(text) ?? [];
  const path = at.split(".").slice(at.startsWith("value") ? 1 : 0);
  return { path: at === "root" ? "" : path.map((name) => `/${name}`).join(""), message };
}

/** Arguments of a call, converted and valid; throws what a model is told otherwise. */
export function validatedArguments(tool: string, parameters: object, args: unknown): any {
  const { value, error } = native.validate(tool, JSON.stringify(parameters), JSON.stringify(args ?? {}));
  if (error !== undefined) throw new Error(error);
  return JSON.parse(value!);
}
