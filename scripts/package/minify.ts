import { minifySync } from "@swc/core";
import { followedBy } from "./sourceMap";

/** JavaScript in one file, and its source map. */
export interface MappedCode {
    readonly code: string;
    readonly map: string;
}

/**
 * Makes a script smaller than esbuild does. swc also merges what several statements do, and moves a function to the only place that
 * uses it. What it calls unsafe here is that a function without `this` becomes an arrow function, so `new` can not call it: the
 * package calls `new` only on classes.
 * @param script strict code, whose top level is a scope of its own.
 * @returns the smaller script, with a map that leads to the sources of the given one.
 */
export function minify(script: MappedCode): MappedCode {
    const { code, map } = minifySync(script.code, {
        ecma: 2022,
        toplevel: true,
        compress: { ecma: 2022, toplevel: true, passes: 3, inline: 1, unsafe_arrows: true, unsafe_methods: true },
        mangle: { toplevel: true },
        sourceMap: true,
    });
    if (map === undefined) {
        throw new Error("swc made no source map");
    }
    return { code, map: followedBy(map, script.map) };
}
