import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What commands use of this package's `package.json`. */
export interface PackageManifest {
    readonly version: string;
    /** Ranges of versions, by package. */
    readonly dependencies: Readonly<Record<string, string>>;
}

/** This package's manifest, from above this file, whether it runs compiled or as source. */
export function packageManifest(): PackageManifest {
    let folder = __dirname;
    while (!existsSync(join(folder, "package.json"))) {
        folder = dirname(folder);
    }
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
}

/** Version of this package. */
export function packageVersion(): string {
    return packageManifest().version;
}
