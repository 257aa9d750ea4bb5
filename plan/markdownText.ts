import { visible } from "../components/problem";

/** Characters that mean something in GitHub's Markdown. A backslash before one makes it plain. */
const special = /[\\`*_{}[\]<>()#+!|~$]/g;

/** What would begin a list or a heading at the start of a line. */
const atStart = /^(\d+)([.)])|^([-=])/;

/**
 * Returns a text as Markdown that shows it as it is, on one line. Nobody is notified by an `@` in it, and no issue is linked
 * by a `#`: an invisible space follows either. Text in backquotes, as our messages have it, stays code.
 */
export function prose(text: string): string {
    return text
        .split(/(`[^`\n]+`)/)
        .map((part, index) => (index % 2 === 1 ? code(part.slice(1, -1)) : plain(part)))
        .join("")
        .replace(atStart, (_, digits?: string, after?: string, mark?: string) =>
            mark === undefined ? `${digits}\\${after}` : `\\${mark}`,
        );
}

function plain(text: string): string {
    return visible(text.replaceAll("\n", " "))
        .replaceAll("&", "&amp;")
        .replace(special, (character) => `\\${character}`)
        .replace(/@|\\#/g, (character) => `${character}&#8203;`);
}

/** Returns a text as code on one line, whatever backquotes it has. A table's cell ends at `|`, in code too. */
export function code(text: string): string {
    const shown = visible(text.replaceAll("\n", " ")).replaceAll("|", "\\|");
    const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = "`".repeat(longest + 1);
    const space = longest > 0 || shown.startsWith(" ") ? " " : "";
    return `${fence}${space}${shown}${space}${fence}`;
}
