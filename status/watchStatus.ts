import type { ClusterStatus } from "./clusterStatus";
import { conditionWords } from "./statusWords";
import { statusChanges } from "./statusChanges";
import { textStatus } from "./textStatus";

/** Where a watched status is shown. */
export interface Watcher {
    /** Whether the output is a terminal, which is redrawn; otherwise each change is a line. */
    readonly isTerminal: boolean;
    /** Writes to the output. @returns false if nobody reads it any more. */
    write(text: string): Promise<boolean>;
    /** The time, in milliseconds since 1970. */
    now(): number;
    sleep(milliseconds: number): Promise<void>;
}

/** Moves to the top left corner; ends a line without what it had before; removes what is below. */
const [home, endOfLine, below] = ["\u001b[H", "\u001b[K\n", "\u001b[J"];
const clear = "\u001b[2J";

/**
 * Shows the status again and again, until nobody reads it. A look that fails is shown as such, and the next one is taken.
 * @param read reads the status once.
 * @param isFinal whether an error can only be repeated.
 * @throws the error of `read` if it is final.
 */
export async function watchStatus(
    read: () => Promise<ClusterStatus>,
    isFinal: (error: Error) => boolean,
    intervalMilliseconds: number,
    watcher: Watcher,
): Promise<void> {
    let last: ClusterStatus | undefined;
    let lastError: string | undefined;
    let isFirst = true;
    for (;;) {
        let seen: ClusterStatus | undefined;
        let failure: string | undefined;
        try {
            seen = await read();
        } catch (error) {
            if (isFinal(error as Error)) {
                throw error;
            }
            failure = (error as Error).message;
        }
        const at = new Date(watcher.now()).toISOString();
        const text = watcher.isTerminal
            ? redrawn(isFirst, seen, last, failure, at)
            : lines(seen, last, failure, lastError)
                  .map((line) => `${at} ${line}\n`)
                  .join("");
        if (text !== "" && !(await watcher.write(text))) {
            return;
        }
        isFirst = false;
        last = seen ?? last;
        lastError = failure;
        await watcher.sleep(intervalMilliseconds);
    }
}

function redrawn(
    isFirst: boolean,
    seen: ClusterStatus | undefined,
    last: ClusterStatus | undefined,
    failure: string | undefined,
    at: string,
): string {
    const shown = seen ?? last;
    const problem =
        failure === undefined
            ? ""
            : `${at}: the cluster cannot be read: ${failure}\n${shown === undefined ? "" : "what follows is the last status that was read\n"}`;
    const text = `${problem}${shown === undefined ? "" : textStatus(shown)}`;
    return `${isFirst ? clear : ""}${home}${text.replaceAll("\n", endOfLine)}${below}`;
}

function lines(
    seen: ClusterStatus | undefined,
    last: ClusterStatus | undefined,
    failure: string | undefined,
    lastError: string | undefined,
): string[] {
    if (seen === undefined) {
        return failure === lastError ? [] : [`the cluster cannot be read: ${failure}`];
    }
    const again = lastError === undefined ? [] : ["the cluster can be read again"];
    return last === undefined
        ? [...again, `TidbCluster ${seen.namespace}/${seen.name}`, ...seen.conditions.map(conditionWords)]
        : [...again, ...statusChanges(last, seen)];
}
