import { gunzipSync, gzipSync } from "node:zlib";
import type { JournalOperation } from "./journalOperation";
import { mostBytes } from "./journalBounds";
import { withoutOldest } from "./recording";

/** How many bytes one operation may have, so earlier ones remain. */
const mostBytesOfOne = (mostBytes * 3) / 4;

/** @returns an operation as it is written: JSON, compressed, in base64. If it is too long, without its oldest entries. */
export function operationText(operation: JournalOperation): string {
    for (let shorter = operation; ; shorter = withoutOldest(shorter, 0.25)) {
        const text = gzipSync(JSON.stringify(shorter)).toString("base64");
        if (text.length <= mostBytesOfOne || shorter.entries.length === 0) {
            return text;
        }
    }
}

/** @returns the operation that a text holds. @throws Error if it holds none. */
export function readOperation(text: string): JournalOperation {
    const value = JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString("utf8")) as Partial<JournalOperation>;
    const { id, what, holder, began, pods, entries } = value;
    const isWhole =
        typeof id === "string" &&
        typeof what === "string" &&
        typeof holder === "string" &&
        typeof began === "number" &&
        Array.isArray(pods) &&
        Array.isArray(entries);
    if (!isWhole) {
        throw new Error("found other JSON, expected an operation as pulumi-tidb writes it");
    }
    return value as JournalOperation;
}

/** @returns an id for an operation: ids sort by time, and are keys of a ConfigMap. @param count of this process. */
export function operationId(at: number, holder: string, count: number): string {
    const time = new Date(at).toISOString().replace(/[-:]/g, "");
    const instance = /\((\w+)\)$/.exec(holder)?.[1] ?? "run";
    return `${time}-${instance}-${count}`;
}
