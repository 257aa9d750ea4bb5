/** Keys that need no quotes. TypeScript allows others, but they are rare, and Prettier leaves their quotes. */
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Characters that a template literal cannot contain unescaped, or that are invisible in it. */
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Surrogate}/u;

/** Prints text as a TypeScript literal: in quotes, or as a template literal if it has several lines. */
export function printText(text: string): string {
    const isTemplate = text.trimEnd().includes("\n") && !invisible.test(text);
    return isTemplate ? template(text) : quoted(text);
}

/** Prints a key of a map, in quotes if it needs them. */
export function printKey(key: string): string {
    // Even in quotes, __proto__ would set the map's prototype.
    return key === "__proto__" ? '["__proto__"]' : plainKey.test(key) ? key : quoted(key);
}

function template(text: string): string {
    return `\`${text.replace(/[\\`]|\$(?=\{)/g, "\\$&")}\``;
}

/** Uses double quotes unless single quotes need fewer backslashes. */
function quoted(text: string): string {
    const double = JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);
    const count = (quote: string): number => text.split(quote).length - 1;
    return count('"') > count("'") ? `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : double;
}

function escaped(character: string): string {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
