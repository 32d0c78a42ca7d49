/**
 * Drafts: JSON values that a change edits in place. What is assigned is copied, only
 * strict JSON is taken, and a draft is of no use once its change has ended.
 */

import { named } from "harness:bind/errors";
import { define, type Json, strictCopy } from "harness:bind/strict";

/** One document that is edited, until its change ends. */
export class Draft {
  readonly what: string;
  readonly face: any;
  private readonly root: object;
  private readonly faces = new WeakMap<object, object>();
  private ended: string | undefined;
  private edited = false;

  constructor(what: string, root: object) {
    this.what = what;
    this.root = root;
    this.face = this.of(root);
  }

  /** The text of the value when it was edited since this was asked last, else undefined. */
  takeEdited(): string | undefined {
    if (!this.edited || this.ended !== undefined) return undefined;
    this.edited = false;
    return JSON.stringify(this.root);
  }

  /** Makes every face of the draft useless. */
  end(why: string): void {
    this.ended ??= why;
  }

  // The face of a value: itself, unless it has parts that can be edited.
  private of(value: any): any {
    if (typeof value !== "object" || value === null) return value;
    let face: object | undefined = this.faces.get(value);
    if (face === undefined) {
      face = new Proxy<object>(value, Array.isArray(value) ? new ListTraps(this) : new ObjectTraps(this));
      this.faces.set(value, face);
    }
    return face;
  }

  // What follows is for the traps.

  usable(): void {
    if (this.ended !== undefined) throw named("TransactionEnded", `${this.what}: ${this.ended}`);
  }

  shown(value: unknown): unknown {
    return this.of(value);
  }

  taken(value: unknown, key: PropertyKey): Json {
    return strictCopy(value, `${this.what}: ${String(key)}`);
  }

  changed(): void {
    this.edited = true;
  }
}

class ObjectTraps implements ProxyHandler<any> {
  protected readonly draft: Draft;

  constructor(draft: Draft) {
    this.draft = draft;
  }

  get(target: any, key: PropertyKey): unknown {
    this.draft.usable();
    return this.draft.shown(Reflect.get(target, key));
  }

  has(target: any, key: PropertyKey): boolean {
    this.draft.usable();
    return Reflect.has(target, key);
  }

  ownKeys(target: any): (string | symbol)[] {
    this.draft.usable();
    return Reflect.ownKeys(target);
  }

  getOwnPropertyDescriptor(target: any, key: PropertyKey): PropertyDescriptor | undefined {
    this.draft.usable();
    const property = Reflect.getOwnPropertyDescriptor(target, key);
    return property && { ...property, value: this.draft.shown(property.value) };
  }

  set(target: any, key: PropertyKey, value: unknown): boolean {
    this.draft.usable();
    if (typeof key === "symbol") throw new TypeError(`${this.draft.what}: a symbol cannot be a key of JSON`);
    if (value === undefined) return this.deleteProperty(target, key);
    const taken = this.draft.taken(value, key);
    define(target, String(key), taken);
    this.draft.changed();
    return true;
  }

  deleteProperty(target: any, key: PropertyKey): boolean {
    this.draft.usable();
    if (Reflect.has(target, key)) this.draft.changed();
    return Reflect.deleteProperty(target, key);
  }

  defineProperty(target: any, key: PropertyKey, property: PropertyDescriptor): boolean {
    if (!("value" in property)) throw new TypeError(`${this.draft.what}: ${String(key)} must be JSON, not an accessor`);
    return this.set(target, key, property.value);
  }

  setPrototypeOf(): boolean {
    throw new TypeError(`${this.draft.what}: the prototype of JSON cannot be changed`);
  }

  preventExtensions(): boolean {
    throw new TypeError(`${this.draft.what}: a draft cannot be frozen`);
  }
}

// Methods that move items would leave holes for moments, so they work on the list
// itself. items are copies of what is put in.
const listMethods: Record<string, (draft: Draft, list: any[], ...args: any[]) => unknown> = {
  push: (draft, list, ...items) => list.push(...items.map((item, index) => draft.taken(item, list.length + index))),
  unshift: (draft, list, ...items) => list.unshift(...items.map((item, index) => draft.taken(item, index))),
  splice: (draft, list, ...args) => {
    const items = args.slice(2).map((item, index) => draft.taken(item, Number(args[0]) + index));
    const removed = args.length === 1 ? list.splice(args[0]) : list.splice(args[0], args[1], ...items);
    return removed.map((item) => draft.shown(item));
  },
  pop: (draft, list) => draft.shown(list.pop()),
  shift: (draft, list) => draft.shown(list.shift()),
  fill: (draft, list, value, ...range) => {
    const mark = {};
    list.slice().fill(mark, ...range).forEach((item, index) => {
      if (item === mark) list[index] = draft.taken(value, index);
    });
    return draft.shown(list);
  },
  copyWithin: (draft, list, ...range) => {
    const moved = list.slice().copyWithin(...(range as [number, number]));
    moved.forEach((item, index) => (list[index] = item === list[index] ? item : draft.taken(item, index)));
    return draft.shown(list);
  },
  reverse: (draft, list) => draft.shown(list.reverse()),
  sort: (draft, list, compare) => {
    const order = compare && ((a: unknown, b: unknown) => compare(draft.shown(a), draft.shown(b)));
    return draft.shown(list.sort(order));
  },
};

class ListTraps extends ObjectTraps {
  private readonly methods = new Map<PropertyKey, Function>();

  override get(target: any[], key: PropertyKey): unknown {
    const own = typeof key === "string" && Object.hasOwn(listMethods, key) ? listMethods[key] : undefined;
    if (own === undefined) return super.get(target, key);
    this.draft.usable();
    let method = this.methods.get(key);
    if (method === undefined) {
      method = (...args: unknown[]) => {
        this.draft.usable();
        this.draft.changed();
        return own(this.draft, target, ...args);
      };
      this.methods.set(key, method);
    }
    return method;
  }

  override set(target: any[], key: PropertyKey, value: unknown): boolean {
    this.draft.usable();
    if (key === "length") return this.shorten(target, value);
    const index = typeof key === "string" ? Number(key) : NaN;
    if (!Number.isInteger(index) || index < 0 || String(index) !== key) {
      throw new TypeError(`${this.draft.what}: ${String(key)} is no index of a list`);
    }
    if (index > target.length) throw new TypeError(`${this.draft.what}: [${index}] would leave a hole in a list of ${target.length}`);
    target[index] = this.draft.taken(value, index);
    this.draft.changed();
    return true;
  }

  override deleteProperty(target: any[], key: PropertyKey): boolean {
    this.draft.usable();
    if (Reflect.has(target, key)) throw new TypeError(`${this.draft.what}: deleting [${String(key)}] would leave a hole; use splice`);
    return true;
  }

  private shorten(target: any[], length: unknown): boolean {
    if (!Number.isInteger(length) || Number(length) < 0 || Number(length) > target.length) {
      throw new TypeError(`${this.draft.what}: the length of a list of ${target.length} can only be made less`);
    }
    if (length !== target.length) this.draft.changed();
    target.length = Number(length);
    return true;
  }
}
