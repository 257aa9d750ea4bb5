import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as path from "node:path";
import { expand, type Texts } from "../containers/environment";
import { type MountedPath, replaceMountedPaths } from "../containers/mountedPaths";

/** The programs that pods of Jobs may run: the file on this machine, by the name of the command. */
export type Programs = Readonly<Record<string, string>>;

/** What a container runs on this machine. */
export interface CommandLine {
    /** The program's file. */
    file: string;
    args: string[];
}

/** What a user of the command line does about a program that the sandbox does not run. */
const advice: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
        ["br", "tikv-ctl", "rclone", "sh"].map((name) => [name, "start the sandbox with --backups to run it"]),
    ),
    python: "a sandbox runs no SQL, so no TidbInitializer works in it: take it out of the program to try the rest",
};

/** The sandbox does not run this container. No container counts as started, let alone as complete, because of it. */
export class NotSimulated extends Error {
    override readonly name = "NotSimulated";
}

/** Returns what a container runs, with the real paths of its mounts. Throws NotSimulated if there is no program for it. */
export function commandLineOf(
    { name, command = [], args = [] }: k8s.V1Container,
    variables: Texts,
    mounts: readonly MountedPath[],
    programs: Programs,
): CommandLine {
    if (command.length === 0) {
        throw new NotSimulated(
            `the sandbox has no images, so it cannot run container ${name}, which runs its image's own program: set its command`,
        );
    }
    const [program, ...rest] = [...command, ...args].map((word) => expand(word, variables));
    const known = path.basename(program);
    if (!Object.hasOwn(programs, known)) {
        const names = Object.keys(programs).sort().join(", ");
        const what = Object.hasOwn(advice, known) ? `${advice[known]}. In a test, ` : "";
        throw new NotSimulated(
            `the sandbox does not run "${program}" of container ${name}: ${what}startSandbox({ programs: { ${JSON.stringify(known)}: file } }) says which file is run in its place; it has ${names === "" ? "no program" : names}`,
        );
    }
    return { file: programs[known], args: rest.map((word) => replaceMountedPaths(word, mounts)) };
}

/** Returns the same command for a process that sees another `/etc/hosts`. This machine's stays as it is. */
export function withHosts({ file, args }: CommandLine, hosts: string, isRoot: boolean): CommandLine {
    const namespaces = isRoot ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
    const script = 'mount --bind "$0" /etc/hosts && exec "$@"';
    return { file: "unshare", args: [...namespaces, "/bin/sh", "-c", script, hosts, file, ...args] };
}
