import { visible } from "../components/problem";

/** HTML that is written as it is. Only `html` makes it, so text from a cluster is always escaped. */
export class Html {
    constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[];

/** Makes HTML from a template. Text in it is escaped, also for attributes in quotes, with invisible characters as escapes. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Html {
    // The indentation of the source means nothing to a browser, and a page of 300 pods has much of it.
    const texts = template.map((text) => text.replace(/\s*\n\s*(?=>)/g, "").replace(/\s*\n\s*/g, "\n"));
    return new Html(texts.map((text, index) => text + (index < parts.length ? written(parts[index]) : "")).join(""));
}

/** HTML that shows nothing. */
export const nothing = new Html("");

/** Text with what stands between backticks as code, as messages and plans have it. */
export function prose(text: string): Html {
    const parts = text.split(/`([^`]+)`/);
    return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

function written(part: Part): string {
    if (typeof part === "string" || typeof part === "number") {
        return escaped(String(part));
    }
    return (part instanceof Html ? [part] : part).map(({ text }) => text).join("");
}

const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
};

function escaped(text: string): string {
    return visible(text).replace(/[&<>"']/g, (character) => entities[character]);
}
