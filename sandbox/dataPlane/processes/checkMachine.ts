import { spawnSync } from "node:child_process";
import * as fs from "node:fs";

/** The options of unshare(1) with which this user gets a container's namespaces. */
export type Namespaces = readonly string[];

const ofRoot: Namespaces = ["--mount", "--pid", "--fork", "--kill-child=SIGKILL"];
const ofUser: Namespaces = ["--user", "--map-root-user", ...ofRoot];
const neededPrograms = ["unshare", "nsenter", "mount", "chroot", "setpriv", "getent"];

/**
 * Returns how this machine runs a pod as a process: with its own view of files, `/etc/hosts` and processes, and nothing changed outside of it.
 * @throws if it cannot: it needs Linux, util-linux, one of wget and curl, and for other users than root unprivileged user namespaces
 */
export function checkMachine(): Namespaces {
    if (process.platform !== "linux") {
        throw new Error(`pods run as processes on Linux only; this is ${process.platform}: use a virtual machine`);
    }
    const missing = neededPrograms.filter((name) => !isOnPath(name));
    if (!isOnPath("wget") && !isOnPath("curl")) {
        missing.push("wget or curl");
    }
    if (missing.length > 0) {
        throw new Error(`to run pods as processes, this machine needs ${missing.join(", ")}: install util-linux, wget`);
    }
    if (!fs.lstatSync("/bin").isSymbolicLink()) {
        throw new Error("to run pods as processes, /bin must be a link to /usr/bin, as in current distributions");
    }
    const namespaces = process.getuid?.() === 0 ? ofRoot : ofUser;
    const tried = spawnSync("unshare", [...namespaces, "mount", "-t", "tmpfs", "tmpfs", "/tmp"], { encoding: "utf8" });
    if (tried.status !== 0) {
        throw new Error(
            `this user may not make namespaces (${tried.stderr.trim()}): allow it, with sysctl kernel.unprivileged_userns_clone or AppArmor's`,
        );
    }
    return namespaces;
}

function isOnPath(name: string): boolean {
    return spawnSync("/bin/sh", ["-c", `command -v ${name}`]).status === 0;
}
