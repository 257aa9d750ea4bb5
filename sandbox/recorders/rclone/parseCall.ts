/** rclone refuses a call. */
export class RcloneError extends Error {
    override readonly name = "RcloneError";
    constructor(
        message: string,
        readonly exitCode: number,
    ) {
        super(message);
    }
}

/** rclone's exit codes (rclone docs, "Exit code"; a wrong command line ends with 2). */
export const exitCodes = { failed: 1, usage: 2, noDirectory: 3, noFile: 4 } as const;

/** A call of rclone. */
export interface RcloneCall {
    readonly command: CommandName;
    readonly target: string;
    isOn(flag: string): boolean;
    /** All values of a flag. */
    values(flag: string): readonly string[];
}

/** The commands that the recorder carries out, with the flags of each (rclone v1.75.1). */
const commands = {
    lsf: {
        switches: ["recursive", "files-only", "dirs-only", "dir-slash", "use-server-modtime"],
        texts: ["format", "time-format", "separator", "include", "max-depth"],
    },
    deletefile: { switches: [], texts: [] },
    delete: { switches: ["use-server-modtime"], texts: ["include", "min-age"] },
    rmdirs: { switches: [], texts: [] },
    cat: { switches: [], texts: ["count"] },
    rcat: { switches: [], texts: [] },
} as const satisfies Record<string, { switches: readonly string[]; texts: readonly string[] }>;

export type CommandName = keyof typeof commands;

/** Reads the arguments of rclone. @throws RcloneError in rclone's words */
export function parseCall([name = "", ...words]: readonly string[]): RcloneCall {
    if (!Object.hasOwn(commands, name)) {
        throw new RcloneError(`unknown command ${JSON.stringify(name)} for "rclone"`, exitCodes.usage);
    }
    const command = name as CommandName;
    const { switches, texts }: { switches: readonly string[]; texts: readonly string[] } = commands[command];
    const given: [string, string][] = [];
    const others: string[] = [];
    for (let at = 0; at < words.length; at++) {
        const [, flag, , value] = /^--([\w-]+)(=(.*))?$/s.exec(words[at]) ?? [];
        if (flag === undefined) {
            others.push(words[at]);
        } else if (switches.includes(flag)) {
            given.push([flag, value ?? "true"]);
        } else if (texts.includes(flag)) {
            given.push([flag, value ?? words[++at] ?? ""]);
        } else {
            throw new RcloneError(`unknown flag: --${flag}`, exitCodes.usage);
        }
    }
    if (others.length !== 1) {
        throw new RcloneError(
            `Command ${command} needs 1 arguments: you provided ${others.length} non flag arguments`,
            exitCodes.usage,
        );
    }
    const values = (flag: string): string[] => given.filter(([key]) => key === flag).map(([, value]) => value);
    return { command, target: others[0], values, isOn: (flag) => values(flag).at(-1) === "true" };
}
