import type { CoreV1Api, V1ListMeta } from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** Objects in one answer. */
const pageSize = 500;
/** More than this is not read for a sentence in a message. */
const mostPages = 20;

type Page = Parameters<CoreV1Api["listNode"]>[0];

/** @returns the objects of a whole list. @throws TooMany */
export async function pages<T>(list: (page: Page) => Promise<{ items: T[]; metadata?: V1ListMeta }>): Promise<T[]> {
    const all: T[] = [];
    let next: string | undefined;
    for (let count = 0; count < mostPages; count += 1) {
        const { items, metadata } = await list({ limit: pageSize, ...(next ? { _continue: next } : {}) });
        all.push(...items);
        next = metadata?._continue;
        if (!next) {
            return all;
        }
    }
    throw new TooMany(`there are more than ${mostPages * pageSize}, which are not read`);
}

/** A list is too long to be read for a diagnosis. */
export class TooMany extends Error {
    override readonly name = "TooMany";
}
