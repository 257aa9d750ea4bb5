import { withoutOtherManagers } from "./otherManagers";

/** A list of objects as the API server writes it. */
export interface WrittenList<T> {
    readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
    readonly items: T[];
}

/** A part should take little memory, and there should be few. */
const usualPartBytes = 65_536;

/**
 * Reads a list part by part: a page of 500 pods takes several megabytes as a text and again as objects, and a process
 * that holds all of them at once needs that much more memory from then on.
 * @param forget takes from an object what nobody reads, as soon as it is read.
 * @param partBytes how much is read at a time.
 * @throws SyntaxError if the text is not JSON, or has no list of items
 */
export function readList<T>(
    body: Buffer,
    forget: (item: T) => void,
    partBytes: number = usualPartBytes,
): WrittenList<T> {
    return readInParts(body, forget, partBytes) ?? readAtOnce(body, forget);
}

function readAtOnce<T>(body: Buffer, forget: (item: T) => void): WrittenList<T> {
    const { metadata, items } = JSON.parse(body.toString("utf8")) as Partial<WrittenList<T>>;
    // An API server writes an empty list of metadata as null.
    if (items !== null && !Array.isArray(items)) {
        throw new SyntaxError("the answer has no list of items");
    }
    items?.forEach(forget);
    return { metadata, items: items ?? [] };
}

/**
 * An API server writes the list last, and all its objects begin with the same field. What lies between two such beginnings is a
 * part of the list only if it is JSON by itself, so a text or a list within an object is not taken for the end of that object.
 * @returns undefined if the answer is written in another way.
 */
function readInParts<T>(body: Buffer, forget: (item: T) => void, partBytes: number): WrittenList<T> | undefined {
    const opens = '"items":[';
    const list = body.indexOf(`${opens}{"`);
    const first = list + opens.length;
    const end = body.lastIndexOf("]}");
    if (list < 0 || end < first) {
        return undefined;
    }
    const around = parsed<WrittenList<T>>(`${body.toString("utf8", 0, first)}${body.toString("utf8", end)}`);
    const between = `},${body.toString("utf8", first, body.indexOf(":", first))}:`;
    const items: T[] = [];
    for (let from = first, least = partBytes; around && from < end;) {
        const next = body.indexOf(between, from + least);
        const to = next < 0 || next > end ? end : next + 1;
        const part = parsed<T[]>(`[${withoutOtherManagers(body.toString("utf8", from, to))}]`);
        if (part !== undefined) {
            part.forEach(forget);
            items.push(...part);
            [from, least] = [to + 1, partBytes];
        } else if (to === end) {
            return undefined;
        } else {
            least = to - from;
        }
    }
    return around && { metadata: around.metadata, items };
}

function parsed<T>(text: string): T | undefined {
    try {
        return JSON.parse(text) as T;
    } catch {
        return undefined;
    }
}
