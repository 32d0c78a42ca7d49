/** Paths of the world, which are POSIX paths. */

export const sep = "/";
export const delimiter = ":";

/** The parts of a path. */
export interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

/** Joins the parts and cleans the result; `.` when nothing is left. */
export function join(...parts: string[]): string {
  for (const part of parts) checkPath(part);
  return normalize(parts.filter((part) => part !== "").join("/"));
}

/** Cleans a path: no empty and no `.` segment, `..` taken as far as possible. */
export function normalize(path: string): string {
  checkPath(path);
  if (path === "") return ".";
  const absolute = isAbsolute(path);
  let clean = segments(path, absolute).join("/");
  if (clean !== "" && path.endsWith("/")) clean += "/";
  if (absolute) return `/${clean}`;
  if (clean === "") return path.endsWith("/") ? "./" : ".";
  return clean;
}

function segments(path: string, absolute: boolean): string[] {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!absolute) kept.push("..");
  }
  return kept;
}

/** An absolute path: the parts from the last absolute one on, below `/`. */
export function resolve(...parts: string[]): string {
  let path = "";
  for (const part of parts) {
    checkPath(part);
    if (part === "") continue;
    path = isAbsolute(part) ? part : `${path}/${part}`;
  }
  return `/${segments(path, true).join("/")}`;
}

export function isAbsolute(path: string): boolean {
  checkPath(path);
  return path.startsWith("/");
}

/** How to get from one path to another. */
export function relative(from: string, to: string): string {
  const source = segments(resolve(from), true);
  const target = segments(resolve(to), true);
  let shared = 0;
  while (shared < source.length && shared < target.length && source[shared] === target[shared]) shared++;
  return [...source.slice(shared).map(() => ".."), ...target.slice(shared)].join("/");
}

export function dirname(path: string): string {
  checkPath(path);
  const trimmed = trimSlashes(path);
  if (trimmed === "") return path === "" ? "." : "/";
  const slash = trimmed.lastIndexOf("/");
  if (slash < 0) return ".";
  // Two leading slashes are a root of their own in POSIX; node keeps them.
  if (slash === 1 && trimmed[0] === "/") return "//";
  return slash === 0 ? "/" : trimmed.slice(0, slash);
}

/** The last segment, without suffix when it ends with it and is longer. */
export function basename(path: string, suffix?: string): string {
  checkPath(path);
  if (path === suffix) return "";
  const trimmed = trimSlashes(path);
  const base = trimmed.slice(trimmed.lastIndexOf("/") + 1);
  if (suffix === undefined || suffix === "" || base === suffix || !base.endsWith(suffix)) return base;
  return base.slice(0, -suffix.length);
}

/** The extension with its dot; names that start with their only dot have none. */
export function extname(path: string): string {
  const base = basename(path);
  const dot = base.lastIndexOf(".");
  return dot <= 0 || base === ".." ? "" : base.slice(dot);
}

export function parse(path: string): ParsedPath {
  const base = basename(path);
  const ext = extname(path);
  const root = isAbsolute(path) ? "/" : "";
  const dir = path.length > base.length && trimSlashes(path) !== base ? dirname(path) : root;
  return { root, dir: base === "" ? root : dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
}

export function format(parts: Partial<ParsedPath>): string {
  const dir = parts.dir || parts.root || "";
  const ext = parts.ext ? (parts.ext.startsWith(".") ? parts.ext : `.${parts.ext}`) : "";
  const base = parts.base || `${parts.name ?? ""}${ext}`;
  if (dir === "") return base;
  return dir === parts.root ? dir + base : `${dir}/${base}`;
}

export function toNamespacedPath(path: string): string {
  return path;
}

function trimSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function checkPath(path: unknown): void {
  if (typeof path === "string") return;
  throw Object.assign(new TypeError(`a path is a string, not ${path === null ? "null" : typeof path}`), {
    code: "ERR_INVALID_ARG_TYPE",
  });
}

/** This module; the world has no other kind of path. */
export const posix = {
  sep,
  delimiter,
  join,
  normalize,
  resolve,
  isAbsolute,
  relative,
  dirname,
  basename,
  extname,
  parse,
  format,
  toNamespacedPath,
};

export default { ...posix, posix };
