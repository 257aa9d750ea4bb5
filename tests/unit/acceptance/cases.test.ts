import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..", "..");
const page = readFileSync(join(root, "docs", "acceptance.md"), "utf8");

/** A row of the page: a case in words, and the tests that hold it, or why there are none. */
interface Case {
    section: string;
    name: string;
    tests: { file: string; title: string }[];
    excuse: boolean;
}

function casesOf(text: string): Case[] {
    let section = "";
    return text.split("\n").flatMap((line) => {
        section = /^### (.*)/.exec(line)?.[1] ?? section;
        const cells = line.split("|").map((cell) => cell.trim());
        if (cells.length < 4 || cells[1] === "case" || /^-+$/.test(cells[1])) {
            return [];
        }
        const [, name, told] = cells;
        return [{ section, name, tests: testsIn(told), excuse: /^(does not apply|not built): \S/.test(told) }];
    });
}

/** `` `file`: "title", "title"; `file`: "title" `` */
function testsIn(told: string): Case["tests"] {
    return [...told.matchAll(/`(tests\/[\w/.]+)`: ("[^"]+"(?:, "[^"]+")*)/g)].flatMap(([, file, titles]) =>
        [...titles.matchAll(/"([^"]+)"/g)].map(([, title]) => ({ file, title })),
    );
}

describe("the cases of the operators' own tests in docs/acceptance.md", () => {
    const cases = casesOf(page);

    it("are complete, in every section", () => {
        const sections = [...new Set(cases.map(({ section }) => section))];
        assert.equal(sections.length, (page.match(/^### /gm) ?? []).length);
        assert.ok(cases.length >= 75, `${cases.length} cases: the table has another form than this test reads`);
    });

    for (const { section, name, tests, excuse } of cases) {
        it(`${section}: ${name}`, () => {
            assert.ok(tests.length > 0 || excuse, "neither a test nor a reason why there is none");
            for (const { file, title } of tests) {
                assert.ok(existsSync(join(root, file)), `${file} is not there`);
                const text = readFileSync(join(root, file), "utf8");
                const found = [JSON.stringify(title), `\`${title}\``].some((literal) => text.includes(literal));
                assert.ok(found, `${file} has no test "${title}"`);
            }
        });
    }
});
