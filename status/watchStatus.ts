import type { ClusterStatus } from "./clusterStatus";
import { conditionWords } from "./statusWords";
import { statusChanges, type StatusFacts } from "./statusChanges";
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
    let facts: StatusFacts | undefined;
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
        const changed = seen && statusChanges(facts, seen);
        const text = watcher.isTerminal
            ? redrawn(isFirst, seen, last, failure, at)
            : [
                  ...reachability(failure, lastError),
                  ...(seen && !last ? beginning(seen) : []),
                  ...(changed?.changes ?? []),
              ]
                  .map((line) => `${at} ${line}\n`)
                  .join("");
        facts = changed?.facts ?? facts;
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

function beginning({ namespace, name, conditions }: ClusterStatus): string[] {
    return [`TidbCluster ${namespace}/${name}`, ...conditions.map(conditionWords)];
}

function reachability(failure: string | undefined, lastError: string | undefined): string[] {
    if (failure === lastError) {
        return [];
    }
    return [failure === undefined ? "the cluster can be read again" : `the cluster cannot be read: ${failure}`];
}
