import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder and its parents. Node's own way (`recursive`) never ends below `/proc`, and hides why a folder cannot be made. */
export function makeFolder(folder: string): void {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
        return;
    }
    if (dirname(folder) !== folder) {
        makeFolder(dirname(folder));
    }
    mkdirSync(folder);
}
