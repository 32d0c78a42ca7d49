/** URLs, and their way to and from world paths. */

import { resolve } from "node:path";

const { URL, URLSearchParams } = globalThis;
export { URL, URLSearchParams };

/** The world path of a `file:` URL. Throws a TypeError for any other URL. */
export function fileURLToPath(url: string | URL): string {
  const parsed = typeof url === "string" ? new URL(url) : url;
  if (parsed.protocol !== "file:") throw invalid("ERR_INVALID_URL_SCHEME", `${parsed.href} is not a file: URL`);
  if (parsed.host !== "") throw invalid("ERR_INVALID_FILE_URL_HOST", `${parsed.href} names a host`);
  if (/%2f/i.test(parsed.pathname)) {
    throw invalid("ERR_INVALID_FILE_URL_PATH", `${parsed.href} has an encoded slash`);
  }
  return decodeURIComponent(parsed.pathname);
}

/** The `file:` URL of a path. */
export function pathToFileURL(path: string): URL {
  const url = new URL("file:///");
  const trailing = path.endsWith("/") && path !== "/" ? "/" : "";
  // What the URL parser would take for structure must not reach it as such.
  url.pathname = (resolve(path) + trailing).replace(/[%\\\n\r\t?#]/g, encodeURIComponent);
  return url;
}

function invalid(code: string, message: string): TypeError {
  return Object.assign(new TypeError(message), { code });
}

export default { URL, URLSearchParams, fileURLToPath, pathToFileURL };
