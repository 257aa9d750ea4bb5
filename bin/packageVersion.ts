import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Version of this package, from its manifest above this file, whether it runs compiled or as source. */
export function packageVersion(): string {
    let folder = __dirname;
    while (!existsSync(join(folder, "package.json"))) {
        folder = dirname(folder);
    }
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    return version;
}
