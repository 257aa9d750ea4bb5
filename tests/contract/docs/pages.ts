import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export const root = join(__dirname, "..", "..", "..");

/** A page of documentation. Its path is relative to the root of the repository. */
export interface Page {
    readonly path: string;
    readonly text: string;
}

/** A fenced block, with the language that it names. */
export interface CodeBlock {
    readonly page: string;
    readonly line: number;
    readonly language: string;
    readonly code: string;
}

/** @returns the pages of the site: those that a user or contributor reads. */
export function pages(): Page[] {
    const inFolder = (folder: string) => readdirSync(join(root, folder)).map((name) => join(root, folder, name));
    const below = (folder: string) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
            .filter((name) => !name.includes("node_modules"))
            .map((name) => join(root, folder, name));
    const files = [
        ...inFolder("."),
        ...below("docs"),
        ...inFolder("sandbox"),
        ...inFolder("cli"),
        ...below("examples"),
    ].filter((file) => file.endsWith(".md"));
    return files.map((file) => pageAt(relative(root, file)));
}

/** @returns a page by its path from the root. */
export function pageAt(path: string): Page {
    return { path, text: readFileSync(join(root, path), "utf8") };
}

/** @returns the fenced blocks of a page, in order. */
export function codeBlocks({ path, text }: Page): CodeBlock[] {
    return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
        page: path,
        line: text.slice(0, match.index).split("\n").length,
        language: match[1],
        code: match[2],
    }));
}

/** @returns the name of the file that a block shows, from a comment in its first line; `undefined` if it names none. */
export function fileName({ code }: CodeBlock): string | undefined {
    return /^\/\/ ([\w.-]+)\n/.exec(code)?.[1];
}

/** @returns the texts between single backquotes, outside fenced blocks. */
export function codeSpans({ text }: Page): string[] {
    const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
    return [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]);
}
