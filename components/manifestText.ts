import { readFileSync } from "node:fs";
import { fileProblem } from "../provider/cluster/fileProblem";
import { ManifestError, textError } from "./problem";

/** @returns the text of a file. @throws ManifestError if it cannot be read. */
export function manifestText(path: string): string {
    try {
        return readFileSync(path, "utf8");
    } catch (error) {
        const problem = textError("", "nothing", "a file", `cannot be read: ${fileProblem(error)}`);
        throw new ManifestError([problem], path);
    }
}
