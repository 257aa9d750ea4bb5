import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The fields of a `package.json` that commands use. */
export interface PackageManifest {
    readonly version: string;
    /** Set in a clone, and in what is packed there. A release takes it out. */
    readonly private?: true;
    /** Version ranges, by package. */
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
}

/** Returns the `package.json` of pulumi-tidb, which the command works with; undefined if that is not installed. */
export function libraryManifest(): PackageManifest | undefined {
    try {
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        return require("pulumi-tidb/package.json") as PackageManifest;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") {
            throw error;
        }
        return undefined;
    }
}

/** Returns the version of the command's own package. */
export function packageVersion(): string {
    return ownManifest().version;
}

/** Returns whether the command's own package is a release, so a registry has it, the library and the sandbox. */
export function isPublished(): boolean {
    return ownManifest().private !== true;
}

/** Works both built and from source. */
function ownManifest(): PackageManifest {
    let folder = __dirname;
    while (!existsSync(join(folder, "package.json"))) {
        if (dirname(folder) === folder) {
            throw new Error(`no package.json above ${__dirname}: the package is incomplete; install it again`);
        }
        folder = dirname(folder);
    }
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
}
