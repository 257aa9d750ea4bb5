const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** What the list itself may have: objects, commas, its end, and space. */
const mayBeBetween = new Set([openBrace, closeBracket, ...Buffer.from(", \n\r\t")]);

/** A list of objects as the API server writes it. */
export interface WrittenList<T> {
    readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
    readonly items: T[];
}

/**
 * Reads a list one object at a time: a page of 500 pods takes several megabytes as a text and again as objects, and a process
 * that holds all of them at once needs that much more memory from then on.
 * @param forget takes from an object what nobody reads, as soon as it is read.
 * @throws SyntaxError if the text is not JSON, or has no list of items
 */
export function readList<T>(body: Buffer, forget: (item: T) => void): WrittenList<T> {
    const items: T[] = [];
    const list = listIn(body, (from, to) => {
        const item = JSON.parse(body.toString("utf8", from, to)) as T;
        forget(item);
        items.push(item);
    });
    const around = list
        ? `${body.toString("utf8", 0, list.from)}null${body.toString("utf8", list.to)}`
        : body.toString("utf8");
    const { metadata, items: rest } = JSON.parse(around) as { metadata?: WrittenList<T>["metadata"]; items?: null };
    // An API server writes an empty list of metadata as null.
    if (rest !== null) {
        throw new SyntaxError("the answer has no list of items");
    }
    return { metadata, items };
}

/**
 * Finds the list `items` of an object, and each object in it.
 * @returns where the list begins and ends; `undefined` if the object has none.
 */
function listIn(body: Buffer, found: (from: number, to: number) => void): { from: number; to: number } | undefined {
    let depth = 0;
    let textFrom = 0;
    let textTo = 0;
    let listFrom: number | undefined;
    let itemFrom = 0;
    for (let at = 0; at < body.length; at++) {
        const byte = body[at];
        if (listFrom !== undefined && depth === 2 && !mayBeBetween.has(byte)) {
            throw new SyntaxError(`the list has something else than objects, at ${at}`);
        }
        if (byte === quote) {
            textFrom = at + 1;
            at = endOfText(body, textFrom);
            textTo = at;
        } else if (byte === openBrace || byte === openBracket) {
            depth += 1;
            if (depth === 2 && byte === openBracket && body.toString("utf8", textFrom, textTo) === "items") {
                listFrom = at;
            } else if (depth === 3 && listFrom !== undefined) {
                itemFrom = at;
            }
        } else if (byte === closeBrace || byte === closeBracket) {
            depth -= 1;
            if (listFrom !== undefined && depth === 2) {
                found(itemFrom, at + 1);
            } else if (listFrom !== undefined && depth === 1) {
                return { from: listFrom, to: at + 1 };
            }
        }
    }
    return undefined;
}

/** @returns where the closing quote of a text is, that begins at `from`. */
function endOfText(body: Buffer, from: number): number {
    for (let at = from; at < body.length; at++) {
        if (body[at] === backslash) {
            at += 1;
        } else if (body[at] === quote) {
            return at;
        }
    }
    return body.length;
}
