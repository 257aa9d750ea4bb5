import { spawn } from "node:child_process";

/**
 * The script ends when its input does, that is, when its owner has died for whatever reason. It renames the folder
 * first. From then on no program can be recorded in it, and a program that cannot be recorded does not start (see
 * runProgram).
 */
const script = `
trap '' INT HUP TERM
while read -r _; do :; done
kept=
if [ -f "$1/kept" ]; then
    kept=yes
    gone="$1"
else
    gone="$1.gone.$$"
    mv "$1" "$gone" 2>/dev/null || exit 0
fi
for file in "$gone"/processes/*; do
    [ -f "$file" ] && kill -9 "$(cat "$file")" 2>/dev/null
done
[ -n "$kept" ] || rm -rf "$gone"
`;

/** A process that outlives its owner just long enough to clean up. */
export interface Watchdog {
    processId: number;
    /** Ends the watchdog. If the folder still exists, its programs are killed and the folder is removed. */
    release(): Promise<void>;
}

/** Starts a watchdog for a sandbox's folder. It is a shell script, so it starts at once and uses about a megabyte. */
export function startWatchdog(folder: string): Watchdog {
    const child = spawn("/bin/sh", ["-c", script, "pulumi-tidb-sandbox-watchdog", folder], {
        // The watchdog is detached from the owner's terminal and process group: a signal that kills the owner must not
        // kill the watchdog first.
        detached: true,
        stdio: ["pipe", "ignore", "ignore"],
    });
    if (child.pid === undefined) {
        throw new Error("cannot start /bin/sh, which runs the sandbox's watchdog; check that this system has a shell");
    }
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    return {
        processId: child.pid,
        release: () => {
            child.ref(); // From here on the owner waits for the watchdog to end.
            child.stdin.end();
            return ended;
        },
    };
}
