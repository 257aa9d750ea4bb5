/** The kinds of values that BR's flags take, by the names of Go's library for flags. */
export type ValueKind =
    | "bool"
    | "string"
    | "stringSlice"
    | "stringArray"
    | "int32"
    | "int64"
    | "uint"
    | "uint32"
    | "uint64"
    | "duration"
    | "float64";

/** A flag: its kind, its short name if it has one, and its value if it is not given, unless that is empty or zero. */
export interface Flag {
    readonly kind: ValueKind;
    readonly short?: string;
    readonly initial?: string;
}

/** Flags by name. */
export type Flags = Readonly<Record<string, Flag>>;

/** Makes flags of one kind from lines of `name`, or `name short`, each perhaps followed by `=value`. */
export function flagsOf(kind: ValueKind, lines: readonly string[]): Flags {
    return Object.fromEntries(
        lines.map((line) => {
            const [names, initial] = splitOnce(line, "=");
            const [name, short] = names.split(" ");
            return [name, { kind, ...(short ? { short } : {}), ...(initial === undefined ? {} : { initial }) }];
        }),
    );
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
    const at = text.indexOf(separator);
    return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
