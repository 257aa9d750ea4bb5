import { killDescendants } from "../pulumi/processTree";

/** Ctrl-C during a run. */
export interface Interrupt {
    readonly signal: AbortSignal;
    /** Gives signals back their usual effect. */
    release(): void;
}

/**
 * Lets a user end a run as with the CLI: the first Ctrl-C lets the steps in progress finish, the second ends the run at once, with
 * the exit code of a process that the signal ended. The end of the terminal, and SIGTERM, end it at once.
 */
export function listenForInterrupt(print: (line: string) => void): Interrupt {
    const controller = new AbortController();
    const endNow = (exitCode: number): void => {
        killDescendants();
        process.exit(exitCode);
    };
    const handlers: Partial<Record<NodeJS.Signals, () => void>> = {
        SIGINT: () => {
            if (controller.signal.aborted) {
                endNow(130);
            }
            print(
                "Ctrl-C: ending the run. Press Ctrl-C again to end it at once; the next run then repeats what was begun.",
            );
            controller.abort();
        },
        SIGTERM: () => endNow(143),
        SIGHUP: () => endNow(129),
    };
    const each = Object.entries(handlers) as [NodeJS.Signals, () => void][];
    each.forEach(([name, handler]) => process.on(name, handler));
    return {
        signal: controller.signal,
        release: () => each.forEach(([name, handler]) => process.off(name, handler)),
    };
}
