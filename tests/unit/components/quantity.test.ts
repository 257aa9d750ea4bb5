import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalQuantity, parseQuantity, wholeNumber } from "../../../topology/quantity";

describe("a quantity", () => {
    // What Kubernetes makes of each: apimachinery's documented canonical form.
    const canonical: [written: string | number, stored: string][] = [
        ["10Gi", "10Gi"],
        ["1024Mi", "1Gi"],
        ["1536Mi", "1536Mi"],
        ["0.5Gi", "512Mi"],
        ["1.5Ki", "1536"],
        ["1023", "1023"],
        ["1000", "1k"],
        ["1000000k", "1G"],
        ["0.5", "500m"],
        ["1500m", "1500m"],
        ["2000m", "2"],
        ["100u", "100u"],
        ["1e3", "1e3"],
        ["1.5e3", "1500"],
        ["12E6", "12e6"],
        ["+5", "5"],
        ["-5", "-5"],
        [".5", "500m"],
        ["5.", "5"],
        ["0", "0"],
        ["0Gi", "0"],
        [4, "4"],
        [0.25, "250m"],
        ["1E", "1E"],
    ];
    for (const [written, stored] of canonical) {
        it(`${written} is stored as ${stored}`, () => assert.equal(canonicalQuantity(written), stored));
    }

    for (const none of [
        "",
        " ",
        "G",
        "1 Gi",
        "1gi",
        "1KB",
        "1Gib",
        "--1",
        "1e",
        "0x10",
        "1,5",
        "NaN",
        "9Ei",
        "1e19",
        {},
        null,
        undefined,
        true,
        NaN,
        Infinity,
    ]) {
        it(`cannot be ${JSON.stringify(none)}`, () => assert.equal(parseQuantity(none), undefined));
    }

    it("is rounded up if it is below a billionth", () => assert.equal(canonicalQuantity("0.0000000001"), "1n"));

    it("may be a whole number or a fraction", () => {
        assert.equal(wholeNumber("1Gi"), 1073741824n);
        assert.equal(wholeNumber("1500m"), undefined);
    });

    it("has one canonical form with the same value", () => {
        const suffix = fc.constantFrom("", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-2");
        fc.assert(
            fc.property(
                fc.integer({ min: 0, max: 99999 }),
                fc.integer({ min: 0, max: 999 }),
                suffix,
                (whole, part, unit) => {
                    const written = `${whole}.${part}${unit}`;
                    const stored = String(canonicalQuantity(written));
                    assert.equal(parseQuantity(stored)?.billionths, parseQuantity(written)?.billionths);
                    assert.equal(canonicalQuantity(stored), stored);
                },
            ),
        );
    });
});
