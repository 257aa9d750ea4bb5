import * as assert from "node:assert/strict";
import { style } from "../../../status/htmlStyle";
import { timelineStyle } from "../../../status/timeline/timelineStyle";

/** What WCAG 2.2 asks of text (1.4.3), and of what else must be seen (1.4.11), at level AA. */
const least = { text: 4.5, shape: 3 };

const css = style + timelineStyle;
const darkPart = "@media (prefers-color-scheme: dark)";
const variablesIn = (text: string) =>
    Object.fromEntries([...text.matchAll(/--([a-z-]+): (#[0-9a-f]+);/g)].map(([, name, value]) => [name, value]));
const blocks = css.split(darkPart);
const light = variablesIn(css.replaceAll(new RegExp(`${darkPart.replace(/[()]/g, "\\$&")} \\{[^]*?\\n\\}`, "g"), ""));
const dark = {
    ...light,
    ...Object.assign({}, ...blocks.slice(1).map((one) => variablesIn(one.slice(0, one.indexOf("\n}"))))),
};

/** The colours of each rule, as they are written. */
const rules = [...css.matchAll(/([^{};]+) \{([^{}]*)\}/g)].map(([, selector, body]) => ({
    selector: selector.trim(),
    text: /(?:^|[ ;])color: ([^;]+);/.exec(body)?.[1],
    back: /(?:^|[ ;])background: ([^;]+);/.exec(body)?.[1],
}));

function luminance(colour: string): number {
    const digits = colour.length === 4 ? [...colour.slice(1)].map((one) => one + one) : colour.slice(1).match(/../g)!;
    const [red, green, blue] = digits.map((two) => {
        const share = parseInt(two, 16) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
    const [less, more] = [luminance(one), luminance(other)].sort((low, high) => low - high);
    return (more + 0.05) / (less + 0.05);
}

describe("the colours of the pages", () => {
    it("are measured as WCAG says", () => {
        assert.equal(contrast("#fff", "#000000"), 21);
        assert.equal(contrast("#777", "#ffffff").toFixed(2), "4.48");
    });

    for (const [scheme, colours] of Object.entries({ light, dark })) {
        const valueOf = (written: string) => {
            const value = colours[/^var\(--([a-z-]+)\)$/.exec(written)?.[1] ?? ""];
            assert.ok(value, `${written} is no colour of the ${scheme} page`);
            return value;
        };
        const check = (what: string, one: string, other: string, wanted: number) => {
            const found = contrast(one, other);
            assert.ok(found >= wanted, `${what}: ${one} on ${other} has ${found.toFixed(2)}, expected ${wanted}`);
        };

        it(`have enough contrast where a text has a background of its own, ${scheme}`, () => {
            const both = rules.filter(({ text, back }) => text?.startsWith("var") && back?.startsWith("var"));
            assert.ok(both.length > 12);
            for (const { selector, text, back } of both) {
                check(selector, valueOf(text!), valueOf(back!), least.text);
            }
        });

        it(`have enough contrast where a text has none, ${scheme}`, () => {
            const alone = rules.filter(({ text, back }) => text?.startsWith("var") && back === undefined);
            assert.ok(alone.length > 5);
            for (const { selector, text } of alone) {
                for (const back of ["card", "page"]) {
                    check(`${selector} on ${back}`, valueOf(text!), colours[back], least.text);
                }
            }
            for (const note of ["warn-back", "unknown-back"]) {
                check(`a note's text on ${note}`, colours.text, colours[note], least.text);
            }
        });

        it(`have enough contrast in the bars of a timeline, ${scheme}`, () => {
            for (const bar of ["edge", "evicting", "down", "back", "starting", "leaving", "done", "soft", "text"]) {
                check(bar, colours[bar], colours.card, least.shape);
            }
        });
    }

    it("are variables everywhere, so both schemes have them", () => {
        const outside = css.replace(/--[a-z-]+: #[0-9a-f]+;/g, "");
        assert.doesNotMatch(outside, /#[0-9a-f]{3,6}\b/);
        assert.deepEqual(Object.keys(dark).sort(), Object.keys(light).sort());
        const same = Object.keys(light).filter((name) => light[name] === dark[name]);
        assert.deepEqual(same, []);
    });
});
