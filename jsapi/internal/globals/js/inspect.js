
"use strict";
// inspect(value, options) and format(...args): values as text for people, in
// the manner of Node's util.inspect.

const { ownKeys } = Reflect;
const propertyOf = Object.getOwnPropertyDescriptor;
const prototypeOf = Object.getPrototypeOf;
const custom = Symbol.for("nodejs.util.inspect.custom");
const identifier = /^[A-Za-z_$][\w$]*$/;
const plural = (n, word) => `${n} more ${word}${n === 1 ? "" : "s"}`;

const defaults = { depth: 2, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, showHidden: false, sorted: false, compact: true };

const escapes = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\\": "\\\\" };
const quote = (text) => {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${") ? "`" : "'";
  let body = text.replace(/[\x00-\x1f\x7f-\x9f\\]/g, (c) => escapes[c] ?? `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  if (mark === "'") body = body.replace(/'/g, "\\'");
  return mark + body + mark;
};

const primitive = (value, options) => {
  switch (typeof value) {
    case "string": {
      const limit = options.maxStringLength ?? Infinity;
      return value.length > limit ? `${quote(value.slice(0, limit))}... ${plural(value.length - limit, "character")}` : quote(value);
    }
    case "number":
      return Object.is(value, -0) ? "-0" : `${value}`;
    case "bigint":
      return `${value}n`;
    default:
      return String(value);
  }
};

const keyText = (key) => (typeof key === "symbol" ? `[${String(key)}]` : identifier.test(key) ? key : quote(key));

// constructorName walks to the first prototype that names its constructor.
const constructorName = (object) => {
  for (let at = object; at !== null; at = prototypeOf(at)) {
    const own = propertyOf(at, "constructor");
    if (own !== undefined && typeof own.value === "function" && own.value.name !== "") return own.value.name;
  }
  return null;
};

const prefixOf = (object, fallback, size) => {
  const name = constructorName(object);
  const sized = size === undefined ? "" : `(${size})`;
  let tag;
  try {
    tag = object[Symbol.toStringTag];
  } catch {}
  const tagged = typeof tag === "string" && tag !== "" && tag !== name ? ` [${tag}]` : "";
  if (name === null) return `[${fallback}${sized}: null prototype]${tagged} `;
  return name === fallback && fallback === "Object" && tagged === "" ? "" : `${name}${sized}${tagged} `;
};

const functionText = (fn) => {
  const source = Function.prototype.toString.call(fn);
  const name = propertyOf(fn, "name")?.value;
  if (source.startsWith("class")) {
    const parent = prototypeOf(fn)?.name;
    return `[class ${name || "(anonymous)"}${parent ? ` extends ${parent}` : ""}]`;
  }
  const kind = constructorName(fn) ?? "Function";
  return name ? `[${kind}: ${name}]` : `[${kind} (anonymous)]`;
};

const errorText = (error) => {
  let stack;
  try {
    stack = error.stack;
  } catch {}
  if (typeof stack === "string" && stack !== "") {
    const head = Error.prototype.toString.call(error);
    const first = stack.indexOf("\n\tat ");
    const frames = first < 0 ? (stack.startsWith("\tat ") ? `\n${stack}` : "") : stack.slice(first);
    return head + frames.replace(/\n\tat /g, "\n    at ").trimEnd();
  }
  return `[${Error.prototype.toString.call(error)}]`;
};

const describe = (value, state, depth) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return primitive(value, state.options);
  if (state.stack.includes(value)) {
    state.circular.set(value, state.circular.get(value) ?? state.circular.size + 1);
    return `[Circular *${state.circular.get(value)}]`;
  }
  const target = native.proxy(value);
  if (target !== undefined) return target === null ? "<Revoked Proxy>" : describe(target, state, depth);
  const own = value[custom];
  if (typeof own === "function" && own !== inspect) {
    const shown = own.call(value, state.options.depth === null ? null : state.options.depth - depth, state.options, inspect);
    if (shown !== value) return typeof shown === "string" ? shown : describe(shown, state, depth);
  }
  state.stack.push(value);
  const text = describeObject(value, state, depth);
  state.stack.pop();
  const index = state.circular.get(value);
  return index === undefined ? text : `<ref *${index}> ${text}`;
};

// parts gives [prefix, opening, closing, entries, keys to show].
const parts = (value, state, depth) => {
  const kind = native.kind(value);
  const nested = (inner) => describe(inner, state, depth + 1);
  const limit = state.options.maxArrayLength ?? Infinity;
  const cut = (shown, total) => (total > shown.length ? [...shown, `... ${plural(total - shown.length, "item")}`] : shown);
  const own = ownKeys(value);
  if (Array.isArray(value)) {
    const name = prefixOf(value, "Array", value.length);
    return [name.startsWith("Array(") ? "" : name, "[", "]", arrayEntries(value, nested, limit), own.filter((k) => (k !== "length" || state.options.showHidden) && !isIndex(k))];
  }
  if (ArrayBuffer.isView(value) && kind !== "DataView") {
    const shown = Array.prototype.slice.call(value, 0, limit).map((n) => primitive(n, state.options));
    return [prefixOf(value, kind, value.length), "[", "]", cut(shown, value.length), own.filter((k) => !isIndex(k))];
  }
  switch (kind) {
    case "Map": {
      const shown = [...Map.prototype.entries.call(value)].slice(0, limit).map(([k, v]) => `${nested(k)} => ${nested(v)}`);
      return [prefixOf(value, "Map", value.size), "{", "}", cut(shown, value.size), own];
    }
    case "Set": {
      const shown = [...Set.prototype.values.call(value)].slice(0, limit).map(nested);
      return [prefixOf(value, "Set", value.size), "{", "}", cut(shown, value.size), own];
    }
    case "ArrayBuffer": {
      const bytes = [...new Uint8Array(value, 0, Math.min(50, value.byteLength))].map((b) => b.toString(16).padStart(2, "0")).join(" ");
      return [prefixOf(value, "ArrayBuffer"), "{", "}", [`[Uint8Contents]: <${bytes}${value.byteLength > 50 ? ` ... ${plural(value.byteLength - 50, "byte")}` : ""}>`, `byteLength: ${value.byteLength}`], own];
    }
    case "Promise": {
      const [settled, result] = native.promise(value);
      const shown = settled === "pending" ? "<pending>" : settled === "rejected" ? `<rejected> ${nested(result)}` : nested(result);
      return [prefixOf(value, "Promise"), "{", "}", [shown], own];
    }
    case "WeakMap":
    case "WeakSet":
      return [prefixOf(value, kind), "{", "}", ["<items unknown>"], own];
    case "Arguments":
      return ["[Arguments] ", "[", "]", arrayEntries(value, nested, limit), own.filter((k) => k !== "length" && k !== "callee" && !isIndex(k) && k !== Symbol.iterator)];
  }
  return [prefixOf(value, "Object"), "{", "}", [], own];
};

const isIndex = (key) => typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);

const arrayEntries = (array, nested, limit) => {
  const entries = [];
  let holes = 0;
  const flush = () => {
    if (holes > 0) entries.push(`<${holes} empty item${holes === 1 ? "" : "s"}>`);
    holes = 0;
  };
  let i = 0;
  for (; i < array.length && entries.length < limit; i++) {
    if (Object.hasOwn(array, i)) {
      flush();
      entries.push(nested(array[i]));
    } else if (++holes > 1e6) {
      holes += array.length - i - 1;
      i = array.length;
    }
  }
  flush();
  if (i < array.length) entries.push(`... ${plural(array.length - i, "item")}`);
  return entries;
};

// headOf is the text of an object that is shown by more than its properties.
const headOf = (value) => {
  if (typeof value === "function") return functionText(value);
  switch (native.kind(value)) {
    case "Error":
      return errorText(value);
    case "RegExp":
      return RegExp.prototype.toString.call(value);
    case "Date": {
      const time = Date.prototype.getTime.call(value);
      return Number.isNaN(time) ? "Invalid Date" : new Date(time).toISOString();
    }
    case "String":
      return `[String: ${quote(String.prototype.toString.call(value))}]`;
    case "Number":
      return `[Number: ${primitive(Number.prototype.valueOf.call(value))}]`;
    case "Boolean":
      return `[Boolean: ${Boolean.prototype.valueOf.call(value)}]`;
    case "Symbol":
      return `[Symbol: ${String(Symbol.prototype.valueOf.call(value))}]`;
    case "BigInt":
      return `[BigInt: ${BigInt.prototype.valueOf.call(value)}n]`;
  }
  return undefined;
};

const describeObject = (value, state, depth) => {
  const { options } = state;
  const limit = options.depth ?? Infinity;
  const head = headOf(value);
  let [prefix, open, close, entries, keys] = head === undefined ? [] : [head, "{", "}", [], ownKeys(value)];
  if (head === undefined) {
    if (depth > limit) return Array.isArray(value) ? "[Array]" : `[${constructorName(value) ?? "Object: null prototype"}]`;
    [prefix, open, close, entries, keys] = parts(value, state, depth);
  } else if (native.kind(value) === "String") {
    keys = keys.filter((k) => !isIndex(k));
  }
  if (options.sorted) keys.sort((a, b) => (String(a) < String(b) ? -1 : 1));
  for (const key of keys) {
    const property = propertyOf(value, key);
    if (property === undefined) continue;
    const shownError = native.kind(value) === "Error" && (key === "cause" || key === "errors");
    if (!property.enumerable && !options.showHidden && !shownError) continue;
    const name = property.enumerable ? keyText(key) : `[${String(key)}]`;
    let text;
    if (property.get !== undefined) text = property.set === undefined ? "[Getter]" : "[Getter/Setter]";
    else if (property.set !== undefined) text = "[Setter]";
    else text = depth > limit ? "..." : describe(property.value, state, depth + 1);
    entries.push(`${name}: ${text}`);
  }
  if (entries.length === 0) return head ?? `${prefix}${open}${close}`;
  const start = head === undefined ? `${prefix}${open}` : `${head} ${open}`;
  const length = entries.reduce((sum, entry) => sum + entry.length + 2, start.length + close.length + 2);
  if (length <= Math.min(options.breakLength, 76) && !entries.some((entry) => entry.includes("\n")) && !start.includes("\n")) {
    return `${start} ${entries.join(", ")} ${close}`;
  }
  const lines = open === "[" && entries.length > 6 ? grouped(entries) : entries;
  return `${start}\n${lines.map((entry) => `  ${entry.replace(/\n/g, "\n  ")}`).join(",\n")}\n${close}`;
};

// grouped puts short array members on shared lines.
const grouped = (entries) => {
  if (entries.some((entry) => entry.length > 6 && entry.includes("\n"))) return entries;
  const lines = [];
  let line = "";
  for (const entry of entries) {
    if (line !== "" && line.length + entry.length + 2 > 72) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? entry : `, ${entry}`;
  }
  if (line !== "") lines.push(line);
  return lines;
};

const inspect = (value, options) => {
  const given = typeof options === "object" && options !== null ? options : {};
  return describe(value, { options: { ...defaults, ...given }, stack: [], circular: new Map() }, 0);
};
inspect.custom = custom;
inspect.defaultOptions = defaults;

// format follows the Console Standard, section 2.2.1, with Node's %j.
const format = (...args) => {
  let text = "";
  let next = 0;
  if (typeof args[0] === "string") {
    next = 1;
    text = args[0];
    if (text.includes("%")) text = text.replace(/%[sdifjoOc%]/g, (directive) => {
      if (directive === "%%") return args.length > 1 ? "%" : "%%";
      if (next >= args.length) return directive;
      return formatOne(directive, args[next++]);
    });
  }
  const rest = args.slice(next).map((arg) => (typeof arg === "string" ? arg : Object(arg) === arg ? inspect(arg) : primitive(arg, defaults)));
  return (next > 0 ? [text, ...rest] : rest).join(" ");
};

const formatOne = (directive, arg) => {
  switch (directive) {
    case "%s":
      if (typeof arg === "object" && arg !== null) return inspect(arg, { depth: 0 });
      return typeof arg === "string" ? arg : primitive(arg, defaults);
    case "%d":
      return typeof arg === "bigint" ? `${arg}n` : typeof arg === "symbol" ? "NaN" : primitive(Number(arg));
    case "%i":
      return typeof arg === "bigint" ? `${arg}n` : typeof arg === "symbol" ? "NaN" : `${parseInt(arg, 10)}`;
    case "%f":
      return typeof arg === "symbol" ? "NaN" : `${parseFloat(arg)}`;
    case "%j":
      try {
        return `${JSON.stringify(arg)}`;
      } catch (error) {
        return "[Circular]";
      }
    case "%o":
      return inspect(arg, { showHidden: true, depth: 4 });
    case "%O":
      return inspect(arg);
    default:
      return ""; // %c: styles mean nothing in plain text
  }
};

Object.assign(exports, { inspect, format });
