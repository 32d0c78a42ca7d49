
"use strict";
// Fetch Standard, sections 5.4 to 5.6: Request, Response and fetch. There is no
// cache, no CORS and no service worker: mode, credentials, cache, integrity,
// referrer and keepalive are accepted and mean nothing.

const { Headers } = need("headers");
const { Body, extract, take, isUsed, split } = need("body");
const { BodyStream } = need("stream");
const { AbortSignal } = need("abort");
const { URL } = need("url");

const methodOf = (method) => {
  const text = `${method}`;
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text)) throw new TypeError(`Request: ${JSON.stringify(text)} is no method`);
  const upper = text.toUpperCase();
  if (["CONNECT", "TRACE", "TRACK"].includes(upper)) throw new TypeError(`Request: the method ${upper} is not allowed`);
  return ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"].includes(upper) ? upper : text;
};
const oneOf = (value, allowed, what) => {
  if (!allowed.includes(value)) throw new TypeError(`Request: ${what} must be one of ${allowed.join(", ")}, got ${String(value)}`);
  return value;
};

class Request extends Body {
  #method;
  #url;
  #headers;
  #redirect;
  #signal;

  constructor(input, init = {}) {
    const source = input instanceof Request ? input : undefined;
    const url = source?.url ?? Request.#parse(input);
    const method = methodOf(init.method ?? source?.method ?? "GET");
    const hasBody = init.body !== undefined && init.body !== null;
    if (hasBody && (method === "GET" || method === "HEAD")) throw new TypeError(`Request: a ${method} request has no body`);
    let body;
    if (hasBody) {
      body = extract(init.body);
    } else if (source !== undefined && init.body === undefined && source.body !== null) {
      if (isUsed(source)) throw new TypeError("Request: the body of the request was read already");
      body = { stream: new BodyStream(borrow(source)), type: null };
    }
    super(body);
    this.#url = url;
    this.#method = method;
    this.#headers = new Headers(init.headers ?? source?.headers);
    if (body?.type && !this.#headers.has("content-type")) this.#headers.set("content-type", body.type);
    this.#redirect = oneOf(init.redirect ?? source?.redirect ?? "follow", ["follow", "manual", "error"], "redirect");
    const signal = init.signal === undefined ? source?.signal : init.signal;
    if (signal !== undefined && signal !== null && !(signal instanceof AbortSignal)) throw new TypeError("Request: signal must be an AbortSignal");
    this.#signal = signal ?? undefined;
  }

  static #parse(input) {
    const text = `${input}`;
    const url = URL.parse(text);
    if (url === null) throw new TypeError(`fetch: ${JSON.stringify(text)} is no absolute URL`);
    if (url.username !== "" || url.password !== "") throw new TypeError("fetch: a URL with a user name or password is refused; send an Authorization header");
    url.hash = "";
    return url.href;
  }

  get method() {
    return this.#method;
  }
  get url() {
    return this.#url;
  }
  get headers() {
    return this.#headers;
  }
  get redirect() {
    return this.#redirect;
  }
  get signal() {
    this.#signal ??= AbortSignal.any([]);
    return this.#signal;
  }
  clone() {
    const copy = new Request(this.#url, { method: this.#method, headers: this.#headers, redirect: this.#redirect, signal: this.#signal ?? null });
    const body = split(this);
    return body === undefined ? copy : new Request(copy, { method: this.#method, body: body.stream ?? body.bytes, headers: this.#headers });
  }
}

// borrow lets a request made of another read the other's body.
const borrow = (source) => {
  let done = false;
  return {
    async pull() {
      if (done) return null;
      done = true;
      return take(source, "Request");
    },
  };
};

const nullBody = [101, 103, 204, 205, 304];

class Response extends Body {
  #status;
  #statusText;
  #headers;
  #type = "default";
  #url = "";
  #redirected = false;

  constructor(body = null, init = {}) {
    const status = init.status === undefined ? 200 : Math.trunc(+init.status);
    if (!(status >= 200 && status <= 599)) throw new RangeError(`Response: the status must be between 200 and 599, got ${init.status}`);
    const content = body === null || body === undefined ? undefined : extract(body);
    if (content !== undefined && nullBody.includes(status)) throw new TypeError(`Response: a response with status ${status} has no body`);
    super(content);
    this.#status = status;
    this.#statusText = init.statusText === undefined ? "" : `${init.statusText}`;
    this.#headers = new Headers(init.headers);
    if (content?.type && !this.#headers.has("content-type")) this.#headers.set("content-type", content.type);
  }

  static error() {
    const response = new Response();
    response.#status = 0;
    response.#type = "error";
    return response;
  }
  static json(data, init = {}) {
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError("Response.json: the value has no JSON form");
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(text, { ...init, headers });
  }
  static redirect(url, status = 302) {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Response.redirect: ${status} is no redirect status`);
    return new Response(null, { status, headers: { location: new URL(url).href } });
  }
  static received(outcome, stream) {
    const response = new Response(nullBody.includes(outcome.status) ? null : stream);
    response.#status = outcome.status;
    response.#statusText = outcome.statusText;
    response.#url = outcome.url;
    response.#redirected = outcome.redirected;
    response.#type = "basic";
    for (let i = 0; i < outcome.headers.length; i += 2) response.#headers.append(outcome.headers[i], outcome.headers[i + 1]);
    return response;
  }

  get status() {
    return this.#status;
  }
  get statusText() {
    return this.#statusText;
  }
  get ok() {
    return this.#status >= 200 && this.#status <= 299;
  }
  get headers() {
    return this.#headers;
  }
  get type() {
    return this.#type;
  }
  get url() {
    return this.#url;
  }
  get redirected() {
    return this.#redirected;
  }
  clone() {
    const body = split(this);
    const copy = new Response(body === undefined ? null : (body.stream ?? body.bytes), { headers: this.#headers });
    copy.#status = this.#status;
    copy.#statusText = this.#statusText;
    copy.#url = this.#url;
    copy.#redirected = this.#redirected;
    copy.#type = this.#type;
    return copy;
  }
}
const received = Response.received;
delete Response.received;

for (const [type, name] of [[Request, "Request"], [Response, "Response"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

const failed = (request, cause) => new TypeError(`fetch failed: ${cause.message}`, { cause });

// bodyOf streams a received body; an abort ends it with the signal's reason.
const bodyOf = (request, outcome, signal, finished) =>
  new BodyStream({
    async pull() {
      signal?.throwIfAborted();
      const step = await native.read(outcome.body);
      if (step.error !== undefined) {
        finished();
        signal?.throwIfAborted();
        throw failed(request, step.error);
      }
      if (step.chunk === null) finished();
      return step.chunk;
    },
    cancel() {
      finished();
      native.close(outcome.body);
    },
  });

// dataURL answers a data: URL (Fetch section 6).
const dataURL = (request) => {
  const match = /^data:([^,]*?)(;\s*base64\s*)?,(.*)$/is.exec(request.url);
  if (match === null) throw failed(request, new Error("malformed data: URL"));
  const raw = native.percentDecode(match[3]);
  const { TextDecoder } = need("encoding");
  const bytes = match[2] === undefined ? raw : Uint8Array.from([...atob(new TextDecoder().decode(raw))], (c) => c.charCodeAt(0));
  return new Response(bytes, { headers: { "content-type": match[1] || "text/plain;charset=US-ASCII" } });
};

exports.fetch = async function fetch(input, init = undefined) {
  const request = new Request(input, init);
  const { signal } = request;
  signal.throwIfAborted();
  if (request.url.startsWith("data:")) return dataURL(request);
  if (!/^https?:/.test(request.url)) throw failed(request, new Error(`the scheme of ${request.url} is not http, https or data`));
  const body = request.body === null ? undefined : await take(request, "fetch");
  signal.throwIfAborted();
  const headers = [];
  for (const pair of request.headers) headers.push(...pair);
  const [sent, abort] = native.send(request.method, request.url, headers, body, request.redirect);
  let refuse;
  const aborted = new Promise((_, reject) => {
    refuse = () => {
      abort();
      reject(signal.reason);
    };
  });
  aborted.catch(() => {});
  signal.addEventListener("abort", refuse, { once: true });
  const finished = () => signal.removeEventListener("abort", refuse);
  const outcome = await Promise.race([sent, aborted]);
  if (outcome.error !== undefined) {
    finished();
    signal.throwIfAborted();
    throw failed(request, outcome.error);
  }
  const content = bodyOf(request, outcome, signal, finished);
  if (nullBody.includes(outcome.status)) await content.cancel();
  return received(outcome, content);
};
Object.assign(exports, { Request, Response });
