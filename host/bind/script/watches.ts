/** Watches: committed values that are delivered one after another. */

import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";

/** A watch as Go gives it. */
interface NativeWatch {
  value: unknown;
  /** Throws where a listener could never be told anything. */
  start(): void;
  next(): Promise<{ value: unknown; ops: unknown[]; end?: WatchEnd }>;
  ended(): Promise<WatchEnd>;
  stop(): void;
  fail(cause: unknown): void;
}

/** Why a watch has ended. */
export interface WatchEnd {
  reason: string;
  error?: Error;
}

type Listener = (value: any, ops: unknown[], context: unknown) => unknown;

/** The handle that an author gets. Nothing is delivered before start. */
export function watchHandle(native: NativeWatch) {
  let value = native.value;
  let started = false;
  const { promise: closed, resolve: end } = Promise.withResolvers<WatchEnd>();
  const deliver = async (listener: Listener): Promise<void> => {
    for (;;) {
      const frame = await native.next();
      if (frame.end !== undefined) return end(frame.end);
      value = frame.value;
      try {
        await listener(value, frame.ops, BACKGROUND_CONTEXT);
      } catch (error) {
        native.fail(error);
      }
    }
  };
  void native.ended().then((reason) => {
    if (!started) end(reason);
  }, () => {});
  return {
    get value() {
      return value;
    },
    start(listener: Listener) {
      if (typeof listener !== "function") throw new TypeError("start: the listener must be a function");
      if (started) throw new Error("start: the watch has its listener already");
      native.start();
      started = true;
      deliver(listener).catch((error: Error) => {
        native.fail(error);
        end({ reason: "listener_error", error });
      });
    },
    stop() {
      native.stop();
      return closed;
    },
    closed,
  };
}

/** The stream of a conversation's events. Nothing is delivered before start. */
export function eventStream(native: {
  snapshot: unknown;
  start(): void;
  next(): Promise<{ value?: unknown[]; end?: WatchEnd }>;
  stop(): void;
}) {
  let started = false;
  let failed: Error | undefined;
  const { promise: closed, resolve: end } = Promise.withResolvers<WatchEnd>();
  const deliver = async (listener: (events: any[], context: unknown) => unknown): Promise<void> => {
    for (;;) {
      const batch = await native.next();
      if (batch.end !== undefined) return end(failed === undefined ? batch.end : { reason: "listener_error", error: failed });
      try {
        await listener(batch.value!, BACKGROUND_CONTEXT);
      } catch (error) {
        failed = error instanceof Error ? error : new Error(String(error));
        native.stop();
      }
    }
  };
  return Object.freeze({
    snapshot: native.snapshot,
    start(listener: (events: any[], context: unknown) => unknown) {
      if (started) throw new Error("start: the stream has its listener already");
      native.start();
      started = true;
      deliver(listener).catch((error: Error) => end({ reason: "session_closed", error }));
    },
    stop() {
      native.stop();
      if (!started) {
        started = true;
        end({ reason: "stopped" });
      }
      return closed;
    },
    closed,
  });
}

/** A value that follows a watch: chord's replicated state, read only. */
export function attachedState(native: NativeWatch) {
  const listeners = new Set<(value: any, context: unknown, change: { kind: string; sequence: number }) => unknown>();
  const watch = watchHandle(native);
  let sequence = 0;
  try {
    watch.start((value) => {
      sequence++;
      for (const listener of listeners) listener(value, BACKGROUND_CONTEXT, { kind: "update", sequence });
    });
  } catch (error) {
    void watch.stop();
    throw error;
  }
  return {
    get value() {
      return watch.value;
    },
    subscribe(listener: (value: any, context: unknown, change: { kind: string; sequence: number }) => unknown) {
      listeners.add(listener);
      listener(watch.value, BACKGROUND_CONTEXT, { kind: "hydrate", sequence });
      return () => void listeners.delete(listener);
    },
    dispose: () => void watch.stop(),
  };
}
