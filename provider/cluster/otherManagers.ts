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
    let isInText = false;
    for (let at = 0; at < json.length; at += 1) {
        const char = json.charCodeAt(at);
        if (isInText && char === backslash) {
            at += 1;
        } else if (char === quote) {
            isInText = !isInText;
        } else if (!isInText && char === open) {
            depth += 1;
        } else if (!isInText && char === close && --depth === 0) {
            return at;
        }
    }
    return -1;
}
