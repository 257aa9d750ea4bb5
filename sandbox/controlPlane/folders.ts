import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** The environment variable that sets the cache folder. */
export const cacheVariable = "PULUMI_TIDB_CACHE";

/**
 * The folder for programs and sandboxes: `PULUMI_TIDB_CACHE`, otherwise `pulumi-tidb` in `XDG_CACHE_HOME`, otherwise in
 * `~/.cache`. A relative path is resolved against the working folder.
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

/** The folder that holds the programs of the control plane. */
export function programsFolder(environment?: Record<string, string | undefined>): string {
    return path.join(cacheFolder(environment), "programs");
}

/** The folder that holds the sandboxes, each in a folder named after it. */
export function sandboxesFolder(environment?: Record<string, string | undefined>): string {
    return path.join(cacheFolder(environment), "sandboxes");
}

/**
 * The folder with the `go.mod` files: `controlPlane/programs` in the nearest parent folder of `from` that has it. The
 * files are published as sources only, so this works from the sources and from `dist`.
 * @throws if the package is incomplete
 */
export function goModulesFolder(from: string = __dirname): string {
    for (let folder = from; ; folder = path.dirname(folder)) {
        const candidate = path.join(folder, "controlPlane", "programs");
        if (fs.existsSync(path.join(candidate, "etcd", "go.mod"))) {
            return candidate;
        }
        if (path.dirname(folder) === folder) {
            throw new Error(
                `found no controlPlane/programs/etcd/go.mod above ${from}: the package pulumi-tidb-sandbox is incomplete; reinstall it`,
            );
        }
    }
}
