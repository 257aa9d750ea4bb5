/** Functions of the language that the package calls often, and that do not depend on `this`. */
const functions = {
    Array: ["from", "isArray"],
    JSON: ["parse", "stringify"],
    Math: ["ceil", "floor", "max", "min", "round"],
    Number: ["isFinite", "isInteger", "isSafeInteger"],
    Object: ["assign", "entries", "fromEntries", "hasOwn", "keys", "values"],
};

const aliases = Object.entries(functions).flatMap(([owner, names]) =>
    names.map((name) => ({ path: `${owner}.${name}`, alias: `$${owner}_${name}` })),
);

/** For esbuild: each of the functions has a name of its own, which a minifier can shorten. */
export const builtinAliases = Object.fromEntries(aliases.map(({ path, alias }) => [path, alias]));

/** The beginning of a bundle that has these names. */
export const builtinsBanner = `const ${aliases.map(({ path, alias }) => `${alias}=${path}`).join(",")};`;
