
"use strict";
class DOMException extends Error {
  #name;

  constructor(message = "", options = "Error") {
    super(`${message}`);
    if (typeof options === "object" && options !== null) {
      this.#name = options.name === undefined ? "Error" : `${options.name}`;
      if ("cause" in options) {
        Object.defineProperty(this, "cause", { value: options.cause, writable: true, configurable: true, enumerable: false });
      }
    } else {
      this.#name = `${options}`;
    }
  }

  get name() {
    return this.#name;
  }

  get code() {
    return native.code(this.#name);
  }
}

Object.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: "DOMException", configurable: true });
native.constants(DOMException);
native.constants(DOMException.prototype);

exports.DOMException = DOMException;
