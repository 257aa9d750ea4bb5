import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { shellWord } from "../components/kubernetes/shellQuote";
import { fileProblem } from "../provider/cluster/fileProblem";
import { isPublished } from "./packageVersion";

/** The packages that a project takes from this machine, or why that is not possible. */
export type PackageSource = PackagePaths | { readonly problem: string };

/** Dependencies for the project's `package.json`: `file:` and a path that is relative to the project. */
export interface PackagePaths {
    /** pulumi-tidb. */
    readonly dependency: string;
    /** pulumi-tidb-cli; left out if it is not beside pulumi-tidb. */
    readonly command?: string;
}

/** Returns what is wrong with a project that takes the package from the registry, which has releases only; undefined if that works. */
export function registryProblem(folder: string): string | undefined {
    return isPublished()
        ? undefined
        : `pulumi-tidb is not on a package registry yet, so npm install fails in ${folder}. Run instead: cd ${shellWord(folder)} && npm install PATH, where PATH is the folder of a built clone, or the file that npm pack makes there, and likewise for pulumi-tidb-cli, the folder cli of the clone. With --package PATH, convert writes this into the project`;
}

/** Returns what a project lacks that takes the package from this machine; undefined if it lacks nothing. */
export function commandProblem(folder: string, { command }: PackagePaths): string | undefined {
    return command === undefined
        ? `the project does not have the command pulumi-tidb, and so no sandbox: pulumi-tidb-cli is not beside the package. To add it, run npm pack --workspace cli in the clone, then: cd ${shellWord(folder)} && npm install --save-dev PATH, where PATH is the file that npm pack made`
        : undefined;
}

const expected = "expected the file that npm pack made from pulumi-tidb, or the folder of its clone";

/**
 * Returns the dependencies on packages on this machine.
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
        const dependencyOn = (one: string) => `file:${relative(resolve(project), resolve(one)).split(sep).join("/")}`;
        const command = commandBeside(path, isFolder);
        return { dependency: dependencyOn(path), ...(command === undefined ? {} : { command: dependencyOn(command) }) };
    } catch (error) {
        return { problem: `${option}: ${fileProblem(error)}; ${expected}` };
    }
}

/** The package of the command that belongs to a package: in the same clone, or packed into the same folder. */
function commandBeside(path: string, isFolder: boolean): string | undefined {
    const packed = basename(path).replace(/^pulumi-tidb-/, "pulumi-tidb-cli-");
    const found = isFolder ? join(path, "cli") : join(dirname(path), packed);
    const isThere = isFolder ? existsSync(join(found, "dist", "bin", "start.js")) : found !== path && existsSync(found);
    return isThere ? found : undefined;
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
