/** Values as text for people, in the manner of Node. */

export interface InspectOptions {
  /** How deep objects are shown; null for all. Default 2. */
  depth?: number | null;
  /** Line width from which an object takes several lines. Default 80. */
  breakLength?: number;
  /** Default 100. */
  maxArrayLength?: number | null;
  /** Sorts members by name. */
  sorted?: boolean;
}

interface State {
  depth: number;
  breakLength: number;
  maxItems: number;
  sorted: boolean;
  above: readonly object[];
  options: InspectOptions;
  /** How deep the object was that was shown last; shared by all states of one text. */
  last: { level: number };
}

/** An object with a method of this name writes its own text. */
export const custom: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

const identifier = /^[A-Za-z_$][\w$]*$/;

export function inspect(value: unknown, options: InspectOptions = {}): string {
  return show(value, {
    depth: options.depth === null ? Infinity : (options.depth ?? 2),
    breakLength: options.breakLength ?? 80,
    maxItems: options.maxArrayLength === null ? Infinity : (options.maxArrayLength ?? 100),
    sorted: options.sorted ?? false,
    above: [],
    options,
    last: { level: 0 },
  });
}

/** Puts values into the places of template (%s %d %i %f %j %o %O %c %%), and the others behind it. */
export function format(template?: unknown, ...values: unknown[]): string {
  if (typeof template !== "string") return [template, ...values].map(plain).join(" ");
  if (values.length === 0) return template;
  let next = 0;
  const text = template.replace(/%[sdifjoOc%]/g, (place) => {
    if (place === "%%") return "%";
    return next < values.length ? fill(place, values[next++]) : place;
  });
  return [text, ...values.slice(next).map(plain)].join(" ");
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : inspect(value);
}

function fill(place: string, value: unknown): string {
  switch (place) {
    case "%s":
      if (typeof value === "bigint") return `${value}n`;
      return typeof value === "object" && value !== null ? inspect(value, { depth: 0 }) : String(value);
    case "%d":
      return typeof value === "bigint" ? `${value}n` : String(Number(value));
    case "%i":
      return String(Number.parseInt(String(value), 10));
    case "%f":
      return String(Number.parseFloat(String(value)));
    case "%j":
      return JSON.stringify(value) ?? "undefined";
    case "%c":
      return "";
    default:
      return inspect(value, place === "%o" ? { depth: 4 } : {});
  }
}

function show(value: unknown, state: State): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol") return value.toString();
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "function") return showFunction(value, state);
  if (typeof value !== "object" || value === null) return String(value);
  if (state.above.includes(value)) return "[Circular]";
  const own = Reflect.get(value, custom) as unknown;
  if (typeof own === "function") return plain(Reflect.apply(own, value, [state.depth, state.options, inspect]));
  return showObject(value, state);
}

function showFunction(value: Function, state: State): string {
  const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "Function";
  const name = value.name === "" ? " (anonymous)" : kind === "class" ? ` ${value.name}` : `: ${value.name}`;
  const head = `[${kind}${name}]`;
  const items = membersOf(value, Object.keys(value), inner(value, state));
  return items.length === 0 ? head : layout(`${head} {`, items, "}", state);
}

function showObject(value: object, state: State): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Error) return showError(value, state);
  if (value instanceof Promise) return "Promise {}";
  const name = constructorName(value);
  if (state.above.length > state.depth && !isEmpty(value)) return Array.isArray(value) ? "[Array]" : `[${name || "Object: null prototype"}]`;
  const nested = inner(value, state);
  if (Array.isArray(value)) {
    const items = listOf([...value], nested, (item, index) => (index in value ? show(item, nested) : "<empty>"));
    items.push(...membersOf(value, Object.keys(value).filter((key) => !/^\d+$/.test(key)), nested));
    return layout(name === "Array" ? "[" : `${name}(${value.length}) [`, items, "]", state);
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = [...(value as unknown as Iterable<unknown>)];
    return layout(`${name}(${items.length}) [`, listOf(items, nested, (item) => show(item, nested)), "]", state);
  }
  if (value instanceof Map) {
    const items = listOf([...value], nested, ([key, item]) => `${show(key, nested)} => ${show(item, nested)}`);
    return layout(`${name}(${value.size}) {`, items, "}", state);
  }
  if (value instanceof Set) {
    return layout(`${name}(${value.size}) {`, listOf([...value], nested, (item) => show(item, nested)), "}", state);
  }
  const prefix = name === "Object" ? "" : `${name || "[Object: null prototype]"} `;
  return layout(`${prefix}{`, membersOf(value, Object.keys(value), nested), "}", state);
}

function isEmpty(value: object): boolean {
  if (Object.keys(value).length > 0 || Object.getOwnPropertySymbols(value).length > 0) return false;
  return value instanceof Map || value instanceof Set ? value.size === 0 : !Array.isArray(value) || value.length === 0;
}

function showError(error: Error, state: State): string {
  const text = error.stack || `${error.name}: ${error.message}`;
  const extra = Object.keys(error).filter((key) => key !== "stack" && key !== "message" && key !== "name");
  const items = membersOf(error, extra, inner(error, state));
  if (error.cause !== undefined && !extra.includes("cause")) items.push(`[cause]: ${show(error.cause, inner(error, state))}`);
  return items.length === 0 ? text : layout(`${text} {`, items, "}", { ...state, breakLength: 0 });
}

function inner(value: object, state: State): State {
  if (!isEmpty(value)) state.last.level = state.above.length;
  return { ...state, above: [...state.above, value] };
}

function constructorName(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return "";
  const made = (prototype as { constructor?: unknown }).constructor;
  return typeof made === "function" && made.name !== "" ? made.name : "Object";
}

function listOf<T>(items: readonly T[], state: State, text: (item: T, index: number) => string): string[] {
  const shown = items.slice(0, state.maxItems).map(text);
  const more = items.length - shown.length;
  if (more > 0) shown.push(`... ${more} more item${more === 1 ? "" : "s"}`);
  return shown;
}

function membersOf(value: object, keys: readonly string[], state: State): string[] {
  const names = state.sorted ? [...keys].sort() : [...keys];
  const symbols = Object.getOwnPropertySymbols(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
  return [...names, ...symbols].map((key) => {
    const property = Object.getOwnPropertyDescriptor(value, key);
    const label = typeof key === "symbol" ? `[${String(key)}]` : identifier.test(key) ? key : quote(key);
    if (property?.get !== undefined) return `${label}: [${property.set === undefined ? "Getter" : "Getter/Setter"}]`;
    if (property?.set !== undefined) return `${label}: [Setter]`;
    return `${label}: ${show(Reflect.get(value, key), state)}`;
  });
}

function layout(head: string, items: readonly string[], end: string, state: State): string {
  if (items.length === 0) return `${head}${end}`;
  // Node's rule: one line when the members are short and nest at most twice.
  const level = state.above.length;
  const length = items.reduce((sum, item) => sum + item.length + 2, head.length + 2 * level + 10);
  const text = `${head} ${items.join(", ")} ${end}`;
  if (length <= state.breakLength && state.last.level - level < 3 && !text.includes("\n")) return text;
  const margin = "  ".repeat(level + 1);
  return `${head}\n${margin}${items.join(`,\n${margin}`)}\n${margin.slice(2)}${end}`;
}

function quote(text: string): string {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") ? "`" : "'";
  const body = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark;
}
