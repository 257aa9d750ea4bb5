import * as assert from "node:assert/strict";
import { htmlStatus } from "../../../status/htmlStatus";
import { elementsOf, type HtmlElement, parseHtml, textOf } from "../../support/parseHtml";
import { healthy, type Seen, statusOf } from "./seenCluster";

const pageOf = (seen: Partial<Seen> = {}) => parseHtml(htmlStatus(statusOf(healthy(seen))));

describe("the stores in the HTML of a status", () => {
    it("have a bar each of what is used of its disk, as its words say, which is red below a free tenth", () => {
        const page = pageOf({ stores: { "basic-tikv-0": { availableBytes: 50 * 1024 ** 3 } } });
        const bars = elementsOf(page)
            .filter(({ attributes }) => attributes.class === "disk")
            .map(({ children }) => (children[0] as HtmlElement).attributes);
        assert.deepEqual(bars, [
            { class: "full", style: "width: 95%" },
            { class: "used", style: "width: 21%" },
            { class: "used", style: "width: 21%" },
        ]);
        const rows = elementsOf(page)
            .filter(({ name }) => name === "tr")
            .map(textOf);
        assert.ok(rows.includes("10 basic-tikv-0 tikv Up 500 1500 95% used, 50.0 GiB of 1.0 TiB free almost full"));
        assert.ok(rows.includes("11 basic-tikv-1 tikv Up 500 1500 21% used, 812.0 GiB of 1.0 TiB free"));
    });

    it("if there are many, are folded away, except those that need a look", () => {
        const page = pageOf({
            members: { pd: 3, tikv: 300 },
            stores: {
                "basic-tikv-7": { state: "Down" },
                "basic-tikv-8": { availableBytes: 50 * 1024 ** 3 },
                "basic-tikv-9": { capacityBytes: undefined, availableBytes: undefined },
            },
            evicted: [16],
        });
        const tableOf = (label: string) => {
            const box = elementsOf(page).find(({ attributes }) => attributes["aria-label"] === label);
            assert.ok(box, label);
            return elementsOf(box).filter(({ name }) => name === "tr");
        };
        const looks = tableOf("Stores that need a look").map((row) => textOf(row).split(" ")[1]);
        assert.deepEqual(looks.slice(1), ["basic-tikv-6", "basic-tikv-7", "basic-tikv-8", "basic-tikv-9"]);
        assert.equal(tableOf("All stores").length, 1 + 300);
        const scrolls = elementsOf(page).flatMap(({ attributes }) =>
            attributes.class === "scroll tall" ? attributes["aria-label"] : [],
        );
        assert.deepEqual(scrolls, ["All stores"], "what is below is not 300 rows away");
        const folded = elementsOf(page).filter(({ name }) => name === "details");
        assert.deepEqual(
            folded.map((one) => elementsOf(one).some(({ attributes }) => attributes["aria-label"] === "All stores")),
            [true],
        );
    });
});
