import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { shellWord } from "../convert/shellWord";
import { fileProblem } from "../provider/cluster/fileProblem";

/** A package that a project takes from this machine, or why that is not possible. */
export type PackageSource = { readonly dependency: string } | { readonly problem: string };

/** Whether a registry has this package and the sandbox's. Without it, they are installed from a clone. */
export const isPublished: boolean = false;

/** Returns what is wrong with a project that takes the package from the registry; undefined if that works. */
export function registryProblem(folder: string): string | undefined {
    return isPublished
        ? undefined
        : `pulumi-tidb is not on a package registry yet, so npm install fails in ${folder}. Run instead: cd ${shellWord(folder)} && npm install PATH, where PATH is the folder of a built clone, or the file that npm pack makes there. With --package PATH, convert writes this into the project`;
}

const expected = "expected the file that npm pack made from pulumi-tidb, or the folder of its clone";

/**
 * Returns the dependency on a package on this machine, for the project's `package.json`: `file:` and a path that is relative to
 * the project.
 *
 * @param path tarball or folder, relative to the current folder.
 * @param project folder of the project.
 */
export function packageSource(path: string, project: string): PackageSource {
    const option = `--package ${path}`;
    try {
        const isFolder = statSync(path).isDirectory();
        const text = isFolder ? readFileSync(join(path, "package.json"), "utf8") : manifestInTarball(path);
        const name = nameIn(text);
        if (name !== "pulumi-tidb") {
            const found = name === undefined ? "something that is not a package" : `the package ${name}`;
            return { problem: `${option}: found ${found}, ${expected}` };
        }
        if (isFolder && !existsSync(join(path, "dist", "index.js"))) {
            return { problem: `${option}: the package is not built. Run: cd ${path} && npm install && npm run build` };
        }
        return { dependency: `file:${relative(resolve(project), resolve(path)).split(sep).join("/")}` };
    } catch (error) {
        return { problem: `${option}: ${fileProblem(error)}; ${expected}` };
    }
}

function nameIn(manifest: string | undefined): unknown {
    try {
        return (JSON.parse(manifest ?? "{}") as { name?: unknown } | null)?.name;
    } catch (error) {
        if (error instanceof SyntaxError) {
            return undefined;
        }
        throw error;
    }
}

/** @returns the text of `package/package.json`, which npm puts first; undefined if the file is not an npm package. */
function manifestInTarball(path: string): string | undefined {
    const compressed = readFileSync(path);
    const isGzip = compressed[0] === 0x1f && compressed[1] === 0x8b;
    const tar = isGzip ? gunzipSync(compressed) : Buffer.alloc(0);
    // The tar format: blocks of 512 bytes; a header with the name at 0 and the octal size at 124, then the content.
    for (let header = 0; header + 512 <= tar.length;) {
        const name = tar.toString("utf8", header, header + 100).replace(/\0.*$/s, "");
        const size = parseInt(tar.toString("latin1", header + 124, header + 136), 8) || 0;
        if (name === "package/package.json") {
            return tar.toString("utf8", header + 512, header + 512 + size);
        }
        header += 512 + 512 * Math.ceil(size / 512);
    }
    return undefined;
}
