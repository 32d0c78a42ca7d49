
"use strict";
// Encoding Standard (encoding.spec.whatwg.org), section 7.

class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    return native.encode(`${text}`);
  }
  encodeInto(text, destination) {
    if (!(destination instanceof Uint8Array)) throw new TypeError("TextEncoder.encodeInto: the destination must be a Uint8Array");
    const [read, written] = native.encodeInto(`${text}`, destination);
    return { read, written };
  }
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #decoder;

  constructor(label = "utf-8", options = undefined) {
    this.#encoding = native.encodingOf(`${label}`);
    if (this.#encoding === undefined) {
      const error = new RangeError(`TextDecoder: the encoding "${label}" is not supported; there are utf-8, utf-16le, utf-16be and latin1 (windows-1252)`);
      error.code = "ERR_ENCODING_NOT_SUPPORTED";
      throw error;
    }
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
    this.#decoder = native.decoder(this.#encoding, this.#fatal, this.#ignoreBOM);
  }

  get encoding() {
    return this.#encoding;
  }
  get fatal() {
    return this.#fatal;
  }
  get ignoreBOM() {
    return this.#ignoreBOM;
  }
  decode(input = undefined, options = undefined) {
    const text = native.decode(this.#decoder, input, Boolean(options?.stream));
    if (text === undefined) {
      const error = new TypeError(`TextDecoder.decode: the bytes are not valid ${this.#encoding}`);
      error.code = "ERR_ENCODING_INVALID_ENCODED_DATA";
      throw error;
    }
    return text;
  }
}

for (const [type, name] of [[TextEncoder, "TextEncoder"], [TextDecoder, "TextDecoder"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

Object.assign(exports, { TextEncoder, TextDecoder });
