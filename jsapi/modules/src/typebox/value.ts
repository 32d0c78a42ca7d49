/** Values held against schemas. */

import { validated } from "harness:internal/validation";
import type { Static, TSchema } from "typebox";

/** What is wrong with a value, and where: a JSON Pointer. */
export interface ValueError {
  path: string;
  message: string;
}

/** A value that does not fit its schema. */
export class ParseError extends Error {
  override readonly name = "ParseError";
  readonly errors: readonly ValueError[];

  constructor(errors: readonly ValueError[]) {
    super(errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "));
    this.errors = errors;
  }
}

export const Value = Object.freeze({
  /** Whether a value fits as it is. */
  Check<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
    return validated(schema, value).fits;
  },
  /** What is wrong with a value; nothing when it fits. */
  Errors(schema: TSchema, value: unknown): ValueError[] {
    const { fits, flaws, converted } = validated(schema, value);
    if (fits) return [];
    return flaws.length > 0 ? flaws : [{ path: "", message: `it only fits once it is converted to ${JSON.stringify(converted)}` }];
  },
  /** The value, converted where that makes it fit; throws a ParseError when nothing does. */
  Parse<S extends TSchema>(schema: S, value: unknown): Static<S> {
    const { flaws, converted } = validated(schema, value);
    if (flaws.length > 0) throw new ParseError(flaws);
    return converted as Static<S>;
  },
  /** The value, converted where that makes it fit, else as it is. */
  Convert(schema: TSchema, value: unknown): unknown {
    const { flaws, converted } = validated(schema, value);
    return flaws.length > 0 ? value : converted;
  },
});

export default Value;
