/** How an object of Go is asked. */

import type { Context } from "@earendil-works/chord/context";

/**
 * An object of Go: operations by name, each with an object of arguments as JSON. The
 * signal ends the wait; functions are code of the author's that the operation calls.
 */
export interface Remote {
  (operation: string, args: string, signal: AbortSignal | undefined, ...functions: (Function | undefined)[]): Promise<any>;
}

/** Asks for an operation. What is asked ends with the context, if one is given. */
export function ask(
  remote: Remote,
  operation: string,
  args: object,
  context?: Context | undefined,
  ...functions: (Function | undefined)[]
): Promise<any> {
  return remote(operation, JSON.stringify(args), context?.abortSignal, ...functions);
}

/** A member of an argument that was made by strictText, put into arguments as it is. */
export function withText(args: object, member: string, text: string): string {
  const rest = JSON.stringify(args);
  return `${rest.slice(0, -1)}${rest === "{}" ? "" : ","}${JSON.stringify(member)}:${text}}`;
}
