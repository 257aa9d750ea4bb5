/** The flags of a program: those of all commands, and those of each. A flag is `name kind`, and perhaps `-s`, its short name, and `required`. */
export interface ProgramFlags {
    readonly common: readonly string[];
    readonly commands: Readonly<Record<string, readonly string[]>>;
    /** How many operands each command takes. */
    readonly operands: number;
}

/** The arguments of a call. */
export interface ParsedCall {
    readonly command: string;
    /** The arguments after the command that are neither flags nor their values. */
    readonly operands: readonly string[];
    /** All values of a flag. */
    values(flag: string): readonly string[];
    /** The last value of a flag. */
    value(flag: string): string | undefined;
}

interface Flag {
    readonly name: string;
    readonly kind: string;
    readonly more: readonly string[];
}

/** The form of values, by their kind. Other kinds are texts. */
const forms: Readonly<Record<string, RegExp>> = {
    bool: /^(1|t|T|true|TRUE|True|0|f|F|false|FALSE|False)$/,
    int32: /^[-+]?\d+$/,
    int64: /^[-+]?\d+$/,
    uint: /^\d+$/,
    uint32: /^\d+$/,
    uint64: /^\d+$/,
    duration: /^[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+)$/,
};

/** Checks arguments against the flags of the program. @throws Error with BR's words for a flag, value or command that it does not take */
export function parseArguments(program: string, known: ProgramFlags, args: readonly string[]): ParsedCall {
    const { common, commands, operands } = known;
    const { words, given } = split([...common, ...Object.values(commands).flat()].map(flagOf), args);
    const command = Object.keys(commands).find((one) => `${words.join(" ")} `.startsWith(`${one} `));
    if (command === undefined) {
        throw new Error(`unknown command "${words.join(" ")}" for "${program}"`);
    }
    const own = [...common, ...commands[command]].map(flagOf);
    const foreign = given.find(([name]) => !own.some((flag) => flag.name === name));
    if (foreign !== undefined) {
        throw new Error(`unknown flag: --${foreign[0]}`);
    }
    const others = words.slice(command.split(" ").length);
    if (others.length !== operands) {
        throw new Error(`unknown command "${others.join(" ")}" for "${program} ${command}"`);
    }
    const values = (flag: string): string[] => given.filter(([name]) => name === flag).map(([, value]) => value);
    const missing = own.filter(({ name, more }) => more.includes("required") && values(name).length === 0);
    if (missing.length > 0) {
        throw new Error(`required flag(s) ${missing.map(({ name }) => `"${name}"`).join(", ")} not set`);
    }
    return { command, operands: others, values, value: (flag) => values(flag).at(-1) };
}

/** Separates flags and their values from the other words. */
function split(flags: readonly Flag[], args: readonly string[]): { words: string[]; given: [string, string][] } {
    const words: string[] = [];
    const given: [string, string][] = [];
    for (let at = 0; at < args.length; at++) {
        const arg = args[at];
        if (!arg.startsWith("-")) {
            words.push(arg);
            continue;
        }
        const [, long, ofLong] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
        const [, short, ofShort] = /^-([^-])=?(.*)$/s.exec(arg) ?? [];
        const flag = flags.find(({ name, more }) => name === long || more.includes(`-${short}`));
        if (flag === undefined) {
            throw new Error(
                long === undefined ? `unknown shorthand flag: '${short}' in ${arg}` : `unknown flag: --${long}`,
            );
        }
        const value = ofLong ?? (ofShort || (flag.kind === "bool" ? "true" : args[++at]));
        if (value === undefined) {
            throw new Error(`flag needs an argument: ${long === undefined ? `'${short}' in ${arg}` : arg}`);
        }
        if (forms[flag.kind]?.test(value) === false) {
            throw new Error(`invalid argument "${value}" for "--${flag.name}" flag`);
        }
        given.push([flag.name, value]);
    }
    return { words, given };
}

function flagOf(line: string): Flag {
    const [name, kind, ...more] = line.split(" ");
    return { name, kind, more };
}
