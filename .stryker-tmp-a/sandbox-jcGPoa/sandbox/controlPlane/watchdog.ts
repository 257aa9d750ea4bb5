import { spawn } from "node:child_process";

/**
 * Ends when its input does, which is when its owner is gone, however that died. The folder is renamed first: from then
 * on no program can be recorded in it, and one that cannot be recorded does not start (see runProgram).
 */
const script = `
trap '' INT HUP TERM
while read -r _; do :; done
gone="$1.gone.$$"
mv "$1" "$gone" 2>/dev/null || exit 0
for file in "$gone"/processes/*; do
    [ -f "$file" ] && kill -9 "$(cat "$file")" 2>/dev/null
done
rm -rf "$gone"
`;

/** A process that outlives its owner just long enough to leave nothing behind. */
export interface Watchdog {
    processId: number;
    /** Lets it go. When the folder is still there, its programs are killed and the folder is removed. */
    release(): Promise<void>;
}

/** Starts a watchdog over a sandbox's folder. It is a shell, so it takes a megabyte and starts at once. */
export function startWatchdog(folder: string): Watchdog {
    const child = spawn("/bin/sh", ["-c", script, "pulumi-tidb-sandbox-watchdog", folder], {
        // Apart from the owner's terminal and group: what kills the owner must not kill the watchdog first.
        detached: true,
        stdio: ["pipe", "ignore", "ignore"],
    });
    if (child.pid === undefined) {
        throw new Error("cannot start /bin/sh, which watches over the sandbox: is there a shell on this system?");
    }
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    return {
        processId: child.pid,
        release: () => {
            child.ref(); // From here on the owner does wait for it.
            child.stdin.end();
            return ended;
        },
    };
}
