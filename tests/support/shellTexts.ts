/** A text that a shell runs. */
export interface ShellText {
    /** Where it was found: `StatefulSet basic-pd: spec.template.spec.containers.0.command`. */
    readonly where: string;
    /** As the shell gets it. */
    readonly text: string;
}

interface RenderedObject {
    readonly kind?: string;
    readonly metadata?: { readonly name: string };
}

/** @returns every text in the objects that a shell runs: scripts in ConfigMaps, and what follows `sh -c` in commands, arguments, probes and hooks. */
export function shellTexts(objects: readonly RenderedObject[]): ShellText[] {
    return objects.flatMap((object) => {
        const found: ShellText[] = [];
        const visit = (value: unknown, path: readonly string[]): void => {
            if (typeof value === "string" && value.startsWith("#!") && object.kind === "ConfigMap") {
                found.push({ where: path.join("."), text: value });
            }
            if (typeof value !== "object" || value === null) {
                return;
            }
            const { command = [], args = [], env = [] } = value as Partial<Record<string, unknown[]>>;
            const words = [command, args].flat().map(String);
            const at = words.indexOf("-c");
            if (at > 0 && /sh$/.test(words[at - 1])) {
                const names = env.map((one) => (one as { name: string }).name);
                found.push({ where: [...path, "command"].join("."), text: asKubernetes(words[at + 1], names) });
            }
            Object.entries(value).forEach(([key, inner]) => visit(inner, [...path, key]));
        };
        visit(object, []);
        return found.map(({ where, text }) => ({ where: `${object.kind} ${object.metadata?.name}: ${where}`, text }));
    });
}

/** @returns what kubelet makes of a command or an argument (kubernetes third_party/forked/golang/expansion). @param names the container's variables. */
export function asKubernetes(text: string, names: readonly string[]): string {
    return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string) =>
        whole === "$$" ? "$" : names.includes(name) ? "<the value of a variable>" : whole,
    );
}

/** Stands for a character that a shell acts on. */
const active = "\0";

/**
 * Reads a script as a shell does.
 *
 * @returns its words as they arrive, with a NUL for each character that the shell acts on, and its comments.
 */
export function readScript(script: string): { words: string; comments: string } {
    const within: ("code" | "double")[] = ["code"];
    let [words, comments] = ["", ""];
    const next = (text: string, from: number): number => {
        const found = script.indexOf(text, from);
        return found < 0 ? script.length : found;
    };
    for (let at = 0; at < script.length; at++) {
        const char = script[at];
        const mode = within[within.length - 1];
        const isStart = char === "$" && script[at + 1] === "(";
        if (mode === "code" && char === "'") {
            const end = next("'", at + 1);
            words += script.slice(at + 1, end);
            at = end;
        } else if (mode === "code" && char === "#" && /[\s;(]/.test(script[at - 1] ?? "\n")) {
            const end = next("\n", at);
            comments += script.slice(at, end);
            at = end - 1;
        } else if (char === "\\" && (mode === "code" || /[$`"\\\n]/.test(script[at + 1]))) {
            words += script[++at];
        } else if (char === '"') {
            if (mode === "double") {
                within.pop();
            } else {
                within.push("double");
            }
        } else if (isStart || (mode === "code" && char === "(")) {
            within.push("code");
            words += active;
            at += isStart ? 1 : 0;
        } else if (mode === "code" && char === ")" && within.length > 1) {
            within.pop();
            words += active;
        } else {
            const isPlain = mode === "double" ? !/[$`]/.test(char) : /[\w.,:/=@%+-]/.test(char);
            words += isPlain ? char : active;
        }
    }
    return { words, comments };
}
