import * as fs from "node:fs";
import * as path from "node:path";

/** @returns the log of the process that runs the sandbox in this folder. */
export function ownerLog(folder: string): string {
    return path.join(folder, "logs", "owner.log");
}

/** @returns what the log says of a pod whose simulated process does not start. */
export function startFailure(pod: string, detail: string): string {
    return `pod ${pod} does not start: ${detail}`;
}

const pattern = new RegExp(`^\\S+ (${startFailure("\\S+", ".*")})$`);

/** @returns a function that returns what the sandbox's log has newly said of pods that do not start. */
export function newStartFailures(folder: string): () => string[] {
    const file = ownerLog(folder);
    const read = () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").slice(0, -1) : []);
    let seen = read().length;
    return () => {
        const lines = read();
        const added = lines.slice(seen);
        seen = lines.length;
        return added.flatMap((line) => pattern.exec(line)?.[1] ?? []);
    };
}
