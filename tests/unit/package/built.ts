import { transformSync } from "esbuild";

/** @returns a script as the package's build has it before its texts are shared or taken out. */
export function built(source: string): { code: string; map: string } {
    const { code, map } = transformSync(`"use strict";${source}`, {
        minifySyntax: false,
        minifyWhitespace: true,
        sourcemap: true,
        sourcefile: "source.ts",
    });
    return { code, map };
}
