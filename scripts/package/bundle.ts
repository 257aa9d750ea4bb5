import { build, type Plugin } from "esbuild";
import { join, relative } from "node:path";
import { traceMappings } from "./sourceMap";

/** What goes into a bundle. Paths are relative to the package's folder. */
export interface BundleInputs {
    readonly root: string;
    /** Sources whose exports the bundle offers, each by a function with the source's path as its name. */
    readonly entries: readonly string[];
    /** Modules, without an ending, that the bundle loads from `dist/` instead of containing them. */
    readonly kept: readonly string[];
}

/** The JavaScript of the package in one file, with its source map. */
export interface Bundle {
    readonly code: string;
    readonly map: string;
}

/**
 * Bundles what the entries import, except dependencies. A module still runs when it is first needed, so an entry loads only
 * the dependencies that it uses.
 * @throws if a module does not compile, or cannot be found.
 */
export async function bundle({ root, entries, kept }: BundleInputs): Promise<Bundle> {
    const contents = entries.map((entry) => `exports["${entry}"] = () => require("./${entry}");`).join("\n");
    const { outputFiles } = await build({
        stdin: { contents, resolveDir: root },
        plugins: [loadsFromDist(root, kept)],
        bundle: true,
        write: false,
        platform: "node",
        format: "cjs",
        target: "es2022",
        packages: "external",
        minify: true,
        // One directive for the whole file, instead of one for each module.
        tsconfigRaw: { compilerOptions: { alwaysStrict: false } },
        banner: { js: '"use strict";' },
        sourcemap: "external",
        sourcesContent: false,
        outfile: join(root, "dist", "package.js"),
    });
    const text = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
    return {
        code: `${text(".js")}//# sourceMappingURL=package.js.map\n`,
        map: traceMappings(text(".map"), text(".js")),
    };
}

function loadsFromDist(root: string, kept: readonly string[]): Plugin {
    return {
        name: "loads-from-dist",
        setup: ({ onResolve }) =>
            onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
                const module = relative(root, join(resolveDir, path));
                return kept.includes(module) ? { path: `./${module}`, external: true } : undefined;
            }),
    };
}
