import * as fs from "node:fs";
import * as path from "node:path";

/**
 * Makes a folder and its parents. Node's own way (`recursive`) never ends below `/proc`, and hides why a folder cannot be made.
 * Another process may make the same folders at the same time.
 */
export function makeFolder(folder: string, mode?: number): void {
    const isThere = (): boolean => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isThere()) {
        return;
    }
    if (path.dirname(folder) !== folder) {
        makeFolder(path.dirname(folder));
    }
    try {
        fs.mkdirSync(folder, { mode });
    } catch (error) {
        if (!isThere()) {
            throw error;
        }
    }
}
