import * as assert from "node:assert/strict";
import { htmlStatus } from "../../../status/htmlStatus";
import { assembleTimeline } from "../../../status/timeline/assembleTimeline";
import { htmlTimeline } from "../../../status/timeline/htmlTimeline";
import { elementsOf, type HtmlElement, parseHtml, textOf } from "../../support/parseHtml";
import { healthy, now, statusOf } from "./seenCluster";
import { journalWith, killed, resumed } from "./timeline/seenJournal";

const lock = { holder: "ana@laptop", operation: "roll out basic-tikv", renewedAt: now };
const pages: [title: string, page: string][] = [
    ["a status", htmlStatus(statusOf(healthy({ lease: { lock }, stores: { "basic-tikv-0": { state: "Down" } } })))],
    ["a timeline", htmlTimeline(assembleTimeline(journalWith([{ ...killed, dropped: 3 }, resumed])))],
];

describe("the pages for those who do not see them, have no mouse, or a narrow screen", () => {
    for (const [title, text] of pages) {
        const all = elementsOf(parseHtml(text));
        const named = (name: string): HtmlElement[] => all.filter((one) => one.name === name);

        it(`${title} has one first heading, and leaves out no level`, () => {
            const levels = all.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name[1])] : []));
            assert.equal(levels.filter((level) => level === 1).length, 1);
            assert.equal(levels[0], 1);
            levels.forEach((level, index) =>
                assert.ok(index === 0 || level <= levels[index - 1] + 1, levels.join(" ")),
            );
        });

        it(`${title} has titles over the columns of each table, and in it for a narrow screen`, () => {
            assert.ok(named("table").length > 1);
            for (const table of named("table")) {
                const heads = elementsOf(table).filter(({ name }) => name === "th");
                assert.ok(heads.length > 0 && heads.every(({ attributes }) => attributes.scope === "col"));
                const labels = heads.map((head, index) => `--c${index + 1}:"${textOf(head)}"`).join(";");
                assert.equal(table.attributes.style, labels);
                const rows = elementsOf(table).filter(({ name }) => name === "tr");
                assert.ok(
                    rows.every(
                        ({ children }) => children.filter((one) => typeof one !== "string").length === heads.length,
                    ),
                );
            }
        });

        it(`${title} lets the keyboard reach what scrolls, and names it`, () => {
            const boxes = all.filter(({ attributes }) => (attributes.class ?? "").startsWith("scroll"));
            assert.equal(boxes.length, named("table").length);
            for (const { attributes } of boxes) {
                assert.deepEqual([attributes.role, attributes.tabindex], ["region", "0"]);
                assert.ok(attributes["aria-label"]);
            }
        });

        it(`${title} has words for each picture`, () => {
            const pictures = all.filter(({ attributes }) => attributes.role === "img");
            assert.ok(pictures.every(({ attributes }) => attributes["aria-label"]));
        });
    }

    it("a timeline is a list of rows in words, and hides its bars from those who cannot see them", () => {
        const all = elementsOf(parseHtml(pages[1][1]));
        const rows = all.filter(({ attributes }) => attributes.role === "listitem");
        assert.equal(rows.length, 2 + 3);
        for (const row of rows) {
            const [name, track, sums] = row.children.filter((one) => typeof one !== "string");
            assert.ok(textOf(name) && textOf(sums));
            assert.equal(track.attributes["aria-hidden"], "true");
        }
    });
});
