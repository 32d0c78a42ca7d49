
"use strict";
// FormData (xhr.spec.whatwg.org, section 5) and its multipart form (RFC 7578).

const { Blob, File, blobBytes, concat } = need("blob");
const { TextEncoder, TextDecoder } = need("encoding");
const encoder = new TextEncoder();

const wellFormed = (value) => `${value}`.toWellFormed();
const valueOf = (value, filename) => {
  if (!(value instanceof Blob)) return wellFormed(value);
  if (value instanceof File && filename === undefined) return value;
  return new File([value], filename === undefined ? "blob" : wellFormed(filename), { type: value.type });
};

class FormData {
  #entries = [];

  append(name, value, filename) {
    this.#entries.push([wellFormed(name), valueOf(value, filename)]);
  }
  delete(name) {
    const key = wellFormed(name);
    this.#entries = this.#entries.filter(([n]) => n !== key);
  }
  get(name) {
    const key = wellFormed(name);
    return this.#entries.find(([n]) => n === key)?.[1] ?? null;
  }
  getAll(name) {
    const key = wellFormed(name);
    return this.#entries.filter(([n]) => n === key).map(([, v]) => v);
  }
  has(name) {
    const key = wellFormed(name);
    return this.#entries.some(([n]) => n === key);
  }
  set(name, value, filename) {
    const key = wellFormed(name);
    const entry = [key, valueOf(value, filename)];
    const at = this.#entries.findIndex(([n]) => n === key);
    if (at < 0) this.#entries.push(entry);
    else this.#entries = this.#entries.flatMap((each, i) => (i === at ? [entry] : each[0] === key ? [] : [each]));
  }
  forEach(callback, thisArg) {
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }
  *entries() {
    for (let i = 0; i < this.#entries.length; i++) yield [...this.#entries[i]];
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
}
Object.defineProperties(FormData.prototype, {
  [Symbol.iterator]: { value: FormData.prototype.entries, writable: true, configurable: true },
  [Symbol.toStringTag]: { value: "FormData", configurable: true },
});

const quoted = (text) => text.replace(/\r\n|\r|\n/g, "%0D%0A").replace(/"/g, "%22");

const multipart = (form) => {
  const boundary = `----formdata-${native.uuid()}`;
  const chunks = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
    if (typeof value === "string") {
      chunks.push(encoder.encode(`${head}\r\n\r\n${value.replace(/\r\n|\r|\n/g, "\r\n")}\r\n`));
    } else {
      chunks.push(encoder.encode(`${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}\r\n\r\n`));
      chunks.push(blobBytes(value), encoder.encode("\r\n"));
    }
  }
  chunks.push(encoder.encode(`--${boundary}--\r\n`));
  return { bytes: concat(chunks), type: `multipart/form-data; boundary=${boundary}` };
};

// parse reads a form of either type; parts are found natively.
const parse = (bytes, type) => {
  const form = new FormData();
  if (/^\s*application\/x-www-form-urlencoded\b/i.test(type)) {
    const { URLSearchParams } = need("url");
    for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) form.append(name, value);
    return form;
  }
  const parts = native.parts(bytes, type);
  if (parts === undefined) throw new TypeError(`formData: the body is no form: its type is ${JSON.stringify(type)}, or it is malformed`);
  for (const { name, filename, contentType, data } of parts) {
    form.append(name, filename === undefined ? new TextDecoder().decode(data) : new File([data], filename, { type: contentType }));
  }
  return form;
};

Object.assign(exports, { FormData, multipart, parse });
