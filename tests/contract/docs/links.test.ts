import * as assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { type Page, pages, root } from "./pages";

const texts = new Map(pages().map(({ path, text }) => [path, text] as const));

/** The anchors of a page's headings, as a Git host and the site make them. */
function anchorsOf(text: string): string[] {
    const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
    return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
        heading
            .replaceAll(/[`*]|\]\([^)]*\)/g, "")
            .toLowerCase()
            .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
            .replaceAll(" ", "-"),
    );
}

/** The links of a page within the repository: the page they lead to, as a path from the root, and the anchor. */
function linksOf({ path, text }: Page): { target: string; anchor: string | undefined }[] {
    const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => match[1])
        .filter((link) => !/^(https?:|mailto:)/.test(link))
        .map((link) => {
            const [file, anchor] = link.split("#");
            return { target: file === "" ? path : normalize(join(dirname(path), file)), anchor };
        });
}

describe("links within the documentation", () => {
    for (const [path, text] of texts) {
        it(`${path}: lead to pages of the site and to existing headings`, () => {
            for (const { target, anchor } of linksOf({ path, text })) {
                const page = texts.get(target);
                assert.ok(page !== undefined, `${target} is not a page of the documentation`);
                assert.ok(
                    anchor === undefined || anchorsOf(page).includes(anchor),
                    `${target} has no heading #${anchor}`,
                );
            }
        });
    }
});

describe("the site", () => {
    const config = readFileSync(join(root, "site", ".vitepress", "config.mts"), "utf8");
    const listed = [...config.matchAll(/page\("[^"]+", "([^"]+)"\)/g)].map((match) => match[1]);

    it("lists every page of docs/ in its sidebar, once", () => {
        const files = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
        const expected = [...files.map((name) => name.replace(/\.md$/, "")), "reference/"];
        assert.deepEqual([...listed].sort(), expected.sort());
    });

    it("has every page of docs/ and every example within two clicks of the README", () => {
        const readme = linksOf({ path: "README.md", text: texts.get("README.md") ?? "" }).map(({ target }) => target);
        const reached = new Set(readme.flatMap((target) => [target, ...linksFrom(target)]));
        const missing = [...texts.keys()].filter((path) => path !== "README.md" && !reached.has(path));
        assert.deepEqual(missing, []);
    });
});

function linksFrom(path: string): string[] {
    const text = texts.get(path);
    return text === undefined ? [] : linksOf({ path, text }).map(({ target }) => target);
}

it("has a README for every example", () => {
    const examples = join(root, "examples");
    for (const name of readdirSync(examples)) {
        assert.ok(existsSync(join(examples, name, "README.md")), relative(root, join(examples, name)));
    }
});
