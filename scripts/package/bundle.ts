import { build, type Plugin } from "esbuild";
import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { builtinAliases, builtinsBanner } from "./builtins";
import { withoutIdleRuns } from "./idleRuns";
import { withoutLongTexts } from "./longTexts";
import { minify } from "./minify";
import { shareTexts } from "./sharedTexts";
import { traceMappings } from "./sourceMap";

/** What goes into a bundle. Paths are relative to the folder of the sources. */
export interface BundleInputs {
    readonly root: string;
    /** Sources whose exports the bundle offers, each by a function. */
    readonly entries: readonly string[];
    /** The name of a source's function. Default: the source's path. */
    readonly nameOf?: (source: string) => string;
    /** Takes imports from elsewhere instead of containing them. */
    readonly plugins: readonly Plugin[];
}

/** The JavaScript of a package, its map, and the content of the file with its long texts. */
export type Bundle = ReturnType<typeof withoutLongTexts>;

/** @returns the name by which the package's bundle offers a source. A path would take much more room: there are a hundred of them. */
export function entryName(source: string): string {
    return `_${createHash("sha256").update(source).digest("hex").slice(0, 8)}`;
}

/**
 * Bundles what the entries import, except dependencies. A module still runs when it is first needed, so an entry loads only
 * the dependencies that it uses.
 * @param file where the bundle will be written.
 * @returns the JavaScript of a package in one file, and its long texts.
 * @throws if a module does not compile, or cannot be found.
 */
export async function bundle(file: string, inputs: BundleInputs): Promise<Bundle> {
    const { outputFiles } = await compile(file, inputs);
    const text = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
    const shared = shareTexts(minify({ code: withoutIdleRuns(text(".js")), map: text(".map") }));
    const { code, map, texts } = withoutLongTexts(shared);
    return {
        ...(texts === undefined ? {} : { texts }),
        code: `${code}\n//# sourceMappingURL=${relative(join(file, ".."), file)}.map\n`,
        map: traceMappings(map, code),
    };
}

/** @returns the sources that a bundle is made of: paths relative to the folder of the sources. @throws as `bundle` does */
export async function bundledSources(file: string, inputs: BundleInputs): Promise<readonly string[]> {
    return Object.keys((await compile(file, inputs)).metafile.inputs);
}

function compile(file: string, { root, entries, nameOf = (source) => source, plugins }: BundleInputs) {
    const contents = entries.map((entry) => `exports["${nameOf(entry)}"] = () => require("./${entry}");`).join("\n");
    return build({
        stdin: { contents, resolveDir: root },
        plugins: [...plugins],
        bundle: true,
        write: false,
        platform: "node",
        format: "cjs",
        target: "es2022",
        packages: "external",
        minify: true,
        // One directive for the whole file, instead of one for each module.
        tsconfigRaw: { compilerOptions: { alwaysStrict: false } },
        banner: { js: `"use strict";${builtinsBanner}` },
        define: builtinAliases,
        sourcemap: "external",
        sourcesContent: false,
        outfile: file,
        absWorkingDir: root,
        metafile: true,
    });
}

/** Loads modules from beside the bundle. @param kept modules, without an ending, that stay as the compiler made them. */
export function loadsFromDist(root: string, kept: readonly string[]): Plugin {
    return {
        name: "loads-from-dist",
        setup: ({ onResolve }) =>
            onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
                const module = relative(root, join(resolveDir, path));
                return kept.includes(module) ? { path: `./${module}`, external: true } : undefined;
            }),
    };
}

/**
 * Takes modules from the bundle of another package.
 * @param isOwn whether the bundle contains a source itself.
 * @param entry the other package's entry, which exports a function for each module.
 * @param taken gets each source that is taken, once the bundle is made.
 */
export function takesFromPackage(
    root: string,
    isOwn: (source: string) => boolean,
    entry: string,
    taken: Set<string>,
): Plugin {
    return {
        name: "takes-from-package",
        setup: ({ onResolve, onLoad, resolve }) => {
            onResolve({ filter: /^\.\.?\// }, async ({ path, resolveDir, kind, pluginData }) => {
                if (pluginData === "resolved") {
                    return undefined;
                }
                const found = await resolve(path, { resolveDir, kind, pluginData: "resolved" });
                const source = relative(root, found.path);
                if (found.errors.length > 0 || isOwn(source)) {
                    return found;
                }
                taken.add(source);
                return { path: source, namespace: entry };
            });
            onResolve({ filter: /.*/, namespace: entry }, ({ path }) => ({ path, external: true }));
            onLoad({ filter: /.*/, namespace: entry }, ({ path }) => ({
                contents: `module.exports = require("${entry}")["${entryName(path)}"]();`,
            }));
        },
    };
}
