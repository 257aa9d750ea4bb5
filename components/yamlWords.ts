/** Our words for an error of the YAML library, where its own are about the grammar of YAML. */
const ours: readonly (readonly [RegExp, string])[] = [
    [/allowed in compact mappings/, "allowed here"],
    [/^all mapping items must start/, "all keys of a map must start"],
    [/^implicit keys need to be on a single line$/, "a key must be on one line, with a colon and a space after it"],
    [
        /^flow map in block collection must .* end with a }$/,
        "the map has no closing }, or a line of it is not indented",
    ],
    [
        /^flow sequence in block collection must .* end with a ]$/,
        "the list has no closing ], or a line of it is not indented",
    ],
    [/^missing closing (.)quote$/, "the text has no closing $1"],
    [/^unexpected scalar at node end$/, "there is more text after the end of the value"],
    [/^unexpected .* token in YAML stream: /, "unexpected "],
    // The library parses nested maps and lists by recursion.
    [/^maximum call stack.*/, "maps or lists are nested hundreds of levels deep"],
];

/** What to do about an error, by the library's error code. */
const remedies: Readonly<Record<string, string>> = {
    BAD_INDENT: "Check the indentation.",
    BAD_SCALAR_START: "Put the text in quotes.",
    BLOCK_AS_IMPLICIT_KEY: "Check the indentation.",
    TAB_AS_INDENT: "Indent with spaces.",
};

/** @returns an error of the YAML library in words for somebody who writes a manifest, and what to do about it. */
export function yamlWords(message: string, code = ""): string {
    const lower = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
    const words = ours.reduce((text, [theirs, replacement]) => text.replace(theirs, replacement), lower);
    return Object.hasOwn(remedies, code) ? `${words}. ${remedies[code]}` : words;
}
