import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The fields of this package's `package.json` that commands use. */
export interface PackageManifest {
    readonly version: string;
    /** Version ranges, by package. */
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
}

/** Reads this package's `package.json` from a folder above this file. Works both compiled and from source. */
export function packageManifest(): PackageManifest {
    let folder = __dirname;
    while (!existsSync(join(folder, "package.json"))) {
        if (dirname(folder) === folder) {
            throw new Error(`no package.json above ${__dirname}: the package is incomplete; install it again`);
        }
        folder = dirname(folder);
    }
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
}

/** Returns the version of this package. */
export function packageVersion(): string {
    return packageManifest().version;
}
