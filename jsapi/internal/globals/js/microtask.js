
"use strict";
const settled = Promise.resolve();
const then = Promise.prototype.then;
const apply = Reflect.apply;

exports.queueMicrotask = function queueMicrotask(callback) {
  if (typeof callback !== "function") {
    throw new TypeError(`queueMicrotask: the callback must be a function, got ${callback === null ? "null" : typeof callback}`);
  }
  apply(then, settled, [
    () => {
      try {
        callback();
      } catch (error) {
        native.report(error);
      }
    },
  ]);
};
