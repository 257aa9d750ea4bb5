/** Names that need no quotes as a key. The others that TypeScript knows are rare, and Prettier leaves their quotes. */
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Characters that a template cannot hold as they are, or that nobody could see in it. */
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Surrogate}/u;

/** Prints text as a TypeScript literal: in quotes, or as a template where it has several lines. */
export function printText(text: string): string {
    const isTemplate = text.trimEnd().includes("\n") && !unseen.test(text);
    return isTemplate ? template(text) : quoted(text);
}

/** Prints a key of a map, in quotes where it needs them. */
export function printKey(key: string): string {
    // Between quotes too, __proto__ would be the map's prototype.
    return key === "__proto__" ? '["__proto__"]' : plainKey.test(key) ? key : quoted(key);
}

function template(text: string): string {
    return `\`${text.replace(/[\\`]|\$(?=\{)/g, "\\$&")}\``;
}

/** In double quotes, unless there would be fewer backslashes in single ones. */
function quoted(text: string): string {
    const double = JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);
    const count = (quote: string): number => text.split(quote).length - 1;
    return count('"') > count("'") ? `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : double;
}

function escaped(character: string): string {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
