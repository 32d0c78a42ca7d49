
"use strict";
// Web Cryptography (w3.org/TR/webcrypto-2): random values and digests.

const raise = (message, name) => {
  throw new (need("domexception").DOMException)(message, name);
};

class SubtleCrypto {
  async digest(algorithm, data) {
    const name = `${typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm}`.toUpperCase();
    const digest = native.digest(name, data);
    if (digest === undefined) raise(`crypto.subtle.digest: the algorithm ${name} is not supported; there are SHA-1, SHA-256, SHA-384 and SHA-512`, "NotSupportedError");
    return digest;
  }
}

class Crypto {
  #subtle = new SubtleCrypto();

  get subtle() {
    return this.#subtle;
  }
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array) || array instanceof DataView || array instanceof Float32Array || array instanceof Float64Array) {
      raise("crypto.getRandomValues: the argument must be an integer typed array", "TypeMismatchError");
    }
    if (array.byteLength > 65536) raise(`crypto.getRandomValues: at most 65536 bytes at a time, got ${array.byteLength}`, "QuotaExceededError");
    return native.random(array);
  }
  randomUUID() {
    return native.uuid();
  }
}

for (const [type, name] of [[SubtleCrypto, "SubtleCrypto"], [Crypto, "Crypto"]]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

exports.crypto = new Crypto();
