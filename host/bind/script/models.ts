/** The models that conversations ask. */

import { notAvailable } from "harness:bind/errors";

export function createModels(): any {
  return modelsOutside;
}

const modelsOutside = new Proxy(Object.freeze({}), {
  get: (_, member) => (typeof member === "symbol" || member === "then" ? undefined : () => notAvailable(`models.${member}`, "the models")),
});
