import type { JournalOperation } from "../../lifecycle/journal/journalOperation";
import type { ObjectEvent } from "../../lifecycle/journal/objectEvents";

/**
 * The journal and the Events of a cluster. They are for people: no decision reads them. Nothing here waits for the API server,
 * except `written`, and nothing fails: what cannot be written is a warning, once.
 */
export interface JournalPort {
    /** The lock holder's name of this process. */
    readonly holder: string;
    /** @returns the id of an operation that begins now. */
    newId(): string;
    /** Writes the operation in place of its earlier version, soon. Several changes may be one write. */
    keep(operation: JournalOperation): void;
    /** Reports Events. If too many wait to be written, the newest are dropped. */
    tell(events: readonly ObjectEvent[]): void;
    /** Waits until everything is written, for a few seconds at most. */
    written(): Promise<void>;
}

/** A journal that nothing is written to. */
export const noJournal: JournalPort = {
    holder: "",
    newId: () => "",
    keep: () => undefined,
    tell: () => undefined,
    written: () => Promise.resolve(),
};
