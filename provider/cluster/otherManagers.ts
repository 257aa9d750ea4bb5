import type { KubernetesObject } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { gateFieldManager } from "../../topology/annotations";

/**
 * Who wrote which field of an object is about half of its text, and more than half of the time that JSON.parse takes for it. It is read
 * only of this package's own fields.
 */
const opens = ',"managedFields":[';
const own = `"${gateFieldManager}"`;
const [quote, backslash, open, close] = ['"', "\\", "[", "]"].map((char) => char.charCodeAt(0));

/**
 * @param json objects, as the API server writes them. JSON escapes the quotes within a text, so no text contains what is looked for.
 * @returns the same without the fields' managers, except where this package is one of them. What is not JSON does not become JSON.
 */
export function withoutOtherManagers(json: string): string {
    const [first, ...rest] = json.split(opens);
    return first.concat(
        ...rest.map((text) => {
            const end = endOfList(text);
            return end < 0 || text.slice(0, end).includes(own) ? opens + text : text.slice(end + 1);
        }),
    );
}

/** Forgets the fields' managers, except this package. */
export function forgetOtherManagers({ metadata }: KubernetesObject): void {
    if (metadata?.managedFields) {
        metadata.managedFields = metadata.managedFields.filter(({ manager }) => manager === gateFieldManager);
    }
}

/** @returns where the list ends that is open where the text begins; -1 if it does not end. */
function endOfList(json: string): number {
    let depth = 1;
    for (let at = 0; at < json.length; at += 1) {
        const char = json.charCodeAt(at);
        if (char === quote) {
            at = endOfText(json, at);
        } else if (char === open) {
            depth += 1;
        } else if (char === close && --depth === 0) {
            return at;
        }
    }
    return -1;
}

/** @returns where the text ends that begins there: with the next quote that no backslash, itself not escaped, comes before. */
function endOfText(json: string, begin: number): number {
    for (let end = json.indexOf('"', begin + 1); end >= 0; end = json.indexOf('"', end + 1)) {
        let before = end;
        while (json.charCodeAt(before - 1) === backslash) {
            before -= 1;
        }
        if ((end - before) % 2 === 0) {
            return end;
        }
    }
    return json.length;
}
