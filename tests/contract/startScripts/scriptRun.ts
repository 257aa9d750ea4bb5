import { spawn } from "node:child_process";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    realpathSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** Where a program is; undefined when it is not on the PATH. */
export function findProgram(program: string): string | undefined {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
        const file = join(folder, program);
        if (folder !== "" && existsSync(file)) {
            return file;
        }
    }
    return undefined;
}

/** The shells of this machine that a start script must run under, each one once. */
export const shells: readonly { readonly name: string; readonly command: readonly string[] }[] = findShells();

function findShells() {
    const found = new Map<string, { name: string; command: string[] }>();
    for (const command of [["sh"], ["dash"], ["busybox", "sh"], ["bash"]]) {
        const file = findProgram(command[0]);
        if (file !== undefined) {
            const real = realpathSync(file);
            const other = found.get(real);
            const name = other ? `${other.name}, which is ${command[0]}` : command.join(" ");
            found.set(real, { name, command: other?.command ?? [file, ...command.slice(1)] });
        }
    }
    return [...found.values()];
}

/** A pod's file system in a folder, in which a start script can be run. */
export interface Pod {
    readonly name: string;
    readonly folder: string;
    /** The data volume. */
    readonly data: string;
    /** Arguments of each start of the stand-in for the member's program. */
    starts(): string[][];
    run(script: string, options?: RunOptions): ScriptRun;
    remove(): void;
}

export interface RunOptions {
    readonly shell?: readonly string[];
    readonly environment?: Record<string, string>;
    /** Where discovery listens, in place of its Service. */
    readonly discovery?: string;
    /** Programs that the image lacks. */
    readonly without?: readonly string[];
    /** Folder with what the container has in `/var/lib/<member>-tls`. */
    readonly certificates?: string;
    /** Text of the mounted annotations; null when nothing is mounted. */
    readonly annotations?: string | null;
}

export interface ScriptRun {
    readonly pid: number;
    readonly done: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>;
    kill(signal: NodeJS.Signals): void;
}

const tools = ["base64", "curl", "getent", "grep", "od", "sed", "sort", "tr", "wget"];
/** Prints what busybox's nslookup prints. */
const nslookupScript = `#!/bin/sh
printf 'Server:\\t\\t10.96.0.10\\nAddress:\\t10.96.0.10:53\\n\\n'
[ "\${UNKNOWN_NAMES:-}" = true ] && { echo "** server can't find $1: NXDOMAIN"; exit 0; }
printf 'Name:\\t%s\\nAddress: %s\\n' "$1" "\${POD_ADDRESS:-10.244.0.7}"
`;
const hostnameScript = `#!/bin/sh
echo "\${OWN_ADDRESSES:-10.244.0.7}"
`;
/** Records the arguments, and leaves the data of a member that has started. */
const programScript = `#!/bin/sh
PATH=/usr/bin:/bin
record=$POD_FOLDER/starts.$(date +%s%N)
printf '%s\\n' "$@" >"$record.part"
mv "$record.part" "$record.done"
mkdir -p "$POD_FOLDER/data/member/wal"
exec /bin/sleep "\${PROGRAM_SECONDS:-0}"
`;

/** A pod whose program is a stand-in that records its arguments, or the one given. Remove it in the end. */
export function createPod(name: string, programText: string = programScript): Pod {
    const folder = mkdtempSync(join(tmpdir(), `pulumi-tidb-${name}-`));
    const path = (part: string) => join(folder, part);
    mkdirSync(path("data"));
    mkdirSync(path("bin"));
    const program = (file: string, text: string) => {
        writeFileSync(file, text);
        chmodSync(file, 0o755);
    };
    program(path("program"), programText);
    return {
        name,
        folder,
        data: path("data"),
        starts: () => recordedStarts(folder),
        remove: () => rmSync(folder, { recursive: true, force: true }),
        run(script, options = {}) {
            const bin = mkdtempSync(join(folder, "bin-"));
            const without = options.without ?? [];
            for (const tool of tools.filter((one) => !without.includes(one))) {
                const found = findProgram(tool);
                if (found !== undefined) {
                    symlinkSync(found, join(bin, tool));
                }
            }
            const shims = {
                nslookup: nslookupScript,
                hostname: hostnameScript,
                sleep: "#!/bin/sh\nexec /bin/sleep 0.05\n",
            };
            for (const [tool, text] of Object.entries(shims).filter(([one]) => !without.includes(one))) {
                program(join(bin, tool), text);
            }
            if (options.annotations !== null) {
                writeFileSync(path("annotations"), options.annotations ?? 'prometheus.io/port="2379"\n');
            } else {
                rmSync(path("annotations"), { force: true });
            }
            const text = script
                .replaceAll("/etc/podinfo/annotations", path("annotations"))
                .replace(/\/var\/lib\/(pd|tikv)(?!-)/g, path("data"))
                .replace(/\/var\/lib\/[a-z]+-tls(?=\/)/g, options.certificates ?? "/var/lib/none")
                .replace(/exec \/(pd|tikv|tidb)-server/, `exec ${path("program")}`)
                .replace(/[a-z0-9-]+-discovery\.\$NAMESPACE:10261/g, options.discovery ?? "127.0.0.1:1");
            writeFileSync(path("start.sh"), text);
            const [shell, ...words] = options.shell ?? shells[0].command;
            const child = spawn(shell, [...words, path("start.sh")], {
                env: {
                    PATH: bin,
                    HOSTNAME: name,
                    NAMESPACE: "tidb",
                    POD_FOLDER: folder,
                    ...options.environment,
                },
                stdio: ["ignore", "pipe", "pipe"],
            });
            let output = "";
            child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
            child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
            return {
                pid: child.pid ?? 0,
                done: new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, output }))),
                kill: (signal) => void child.kill(signal),
            };
        },
    };
}

function recordedStarts(folder: string): string[][] {
    return readdirSync(folder)
        .filter((file) => file.startsWith("starts.") && file.endsWith(".done"))
        .sort()
        .map((file) => readFileSync(join(folder, file), "utf8").replace(/\n$/, "").split("\n"));
}
