import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { preProcessFile } from "typescript";

/** Returns the declaration files that the given ones reach by imports, and themselves. */
export function reachableTypes(roots: readonly string[]): Set<string> {
    const reached = new Set<string>();
    const waiting = [...roots];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        if (!reached.has(file)) {
            reached.add(file);
            waiting.push(...importsOf(file));
        }
    }
    return reached;
}

function importsOf(file: string): string[] {
    return preProcessFile(readFileSync(file, "utf8"))
        .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
        .map(({ fileName }) => {
            const path = join(dirname(file), fileName);
            const found = [`${path}.d.ts`, join(path, "index.d.ts")].find((candidate) => existsSync(candidate));
            if (found === undefined) {
                throw new Error(`${file}: imports ${fileName}, which has no declaration file: run npm run build again`);
            }
            return found;
        });
}
