/** What happens in a conversation, as events. */
import type { Context } from "@earendil-works/chord";
import type { ConversationId, WatchEnd } from "harness:internal/durable";
import type { Harness } from "harness:internal/sessions";
/** The member of a harness that begins a stream. */
export declare const watchingEvents: unique symbol;
/** Something that happened; what else it says depends on its type. */
export interface AgentEvent {
    type: string;
    [member: string]: any;
}
/** Batches of events, one for each commit. Nothing is delivered before start. */
export interface AgentEventStream {
    /** The conversation at the beginning, to which the events are relative. */
    readonly snapshot: AgentEvent;
    start(listener: (events: AgentEvent[], context: Context) => void | Promise<void>): void;
    stop(): Promise<WatchEnd>;
    readonly closed: Promise<WatchEnd>;
}
/** Follows what happens in a conversation of the harness. */
export declare function watchEvents(harness: Harness, id: ConversationId, context: Context): Promise<AgentEventStream>;
