import fc from "fast-check";
import type { PlainValue } from "../../convert/printValue";

/** Any character of Unicode. A `unit` of fast-check that has all of them takes seconds to build. */
export const anyCharacter = fc
    .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
    .map((codePoint) => String.fromCodePoint(codePoint));

/** Without wide characters, whose columns Prettier counts twice. */
export const narrowText = fc.string({ unit: "binary-ascii", maxLength: 60 });
export const anyText = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 20 }),
    narrowText,
    fc.constantFrom("__proto__", "`${a}\n`b"),
);

/** Values that a manifest can have, with texts of this kind as values and keys. */
export function plainValues(text: fc.Arbitrary<string>): fc.Arbitrary<PlainValue> {
    return fc.letrec<{ value: PlainValue }>((tie) => ({
        value: fc.oneof(
            { maxDepth: 5, withCrossShrink: true },
            text,
            fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
            fc.constantFrom(true, false, null),
            fc.array(tie("value"), { maxLength: 5 }),
            fc.array(fc.integer(), { maxLength: 60 }),
            fc
                .array(fc.tuple(text, tie("value")), { maxLength: 5 })
                .map((entries) => Object.fromEntries(entries) as PlainValue),
        ),
    })).value;
}
