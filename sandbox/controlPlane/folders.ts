import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** Environment variable that moves the cache. */
export const cacheVariable = "PULUMI_TIDB_CACHE";

/**
 * The folder for programs and sandboxes: `PULUMI_TIDB_CACHE`, else `pulumi-tidb` in `XDG_CACHE_HOME`, else in
 * `~/.cache`. A relative path is taken from the working folder.
 */
export function cacheFolder(environment: Record<string, string | undefined> = process.env): string {
    const chosen = environment[cacheVariable];
    if (chosen !== undefined && chosen !== "") {
        return path.resolve(chosen);
    }
    const base = environment.XDG_CACHE_HOME;
    const cache = base !== undefined && path.isAbsolute(base) ? base : path.join(os.homedir(), ".cache");
    return path.join(cache, "pulumi-tidb");
}

/** Where the programs of the control plane are kept. */
export function programsFolder(environment?: Record<string, string | undefined>): string {
    return path.join(cacheFolder(environment), "programs");
}

/** Where each sandbox has a folder of its own, named after it. */
export function sandboxesFolder(environment?: Record<string, string | undefined>): string {
    return path.join(cacheFolder(environment), "sandboxes");
}

/**
 * The folder with the `go.mod` files, which are published as sources only: `controlPlane/programs` in the nearest folder
 * above `from` that has it, from the sources as well as from `dist`.
 * @throws when the package is incomplete
 */
export function goModulesFolder(from: string = __dirname): string {
    for (let folder = from; ; folder = path.dirname(folder)) {
        const candidate = path.join(folder, "controlPlane", "programs");
        if (fs.existsSync(path.join(candidate, "etcd", "go.mod"))) {
            return candidate;
        }
        if (path.dirname(folder) === folder) {
            throw new Error(
                `found no controlPlane/programs/etcd/go.mod above ${from}: the package pulumi-tidb-sandbox is incomplete, install it again`,
            );
        }
    }
}
