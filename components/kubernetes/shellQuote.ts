/**
 * How values of a manifest become parts of shell scripts. Every value passes through here: nothing in it is expanded or run, and it
 * arrives whole. Values that mean nothing to a shell stay as they are, because a changed script restarts pods.
 */

/** @returns text as one word. */
export function shellWord(text: string): string {
    return /^[A-Za-z0-9_.,:/=@%+-]+$/.test(text) ? text : inSingleQuotes(text);
}

/** @returns text as a part of a word in double quotes, which it closes and opens again if it has to: `"$pod.${withinQuotes(domain)}"`. */
export function withinQuotes(text: string): string {
    return /["$`\\]/.test(text) ? `"${inSingleQuotes(text)}"` : text;
}

/** @returns text as one word, in which only `$NAME` and `${NAME}` are expanded to the container's variables. */
export function shellWordWithVariables(text: string): string {
    if (!/\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_])/.test(text)) {
        return shellWord(text);
    }
    const escaped = text.replace(/[\\"`]/g, "\\$&").replace(/\$(?!\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_])/g, "\\$");
    return `"${escaped}"`;
}

/** @returns text as a part of a comment. */
export function inComment(text: string): string {
    return text.replace(/\s+/g, " ");
}

/** @returns text in a container's command, arguments or variables, in which Kubernetes reads `$(NAME)` as a variable, and `$$` as one dollar. */
export function inKubernetes(text: string): string {
    return text.replaceAll("$", "$$$$");
}

/**
 * As `inKubernetes`, but only dollars that Kubernetes would act on become two: a changed template restarts pods. It leaves a `$(…)` that names no variable
 * as it is (kubernetes third_party/forked/golang/expansion).
 */
export function literalInPod(text: string): string {
    return text.replace(/\$\$|\$\(([^)]*)\)|\$\(/g, (found, name?: string) =>
        name === undefined || /^[-._A-Za-z][-._A-Za-z0-9]*$/.test(name) ? inKubernetes(found) : found,
    );
}

/** @returns the options of a script that is part of a container's command, with every text as `literalInPod`. */
export function literalOptions<T>(options: T): T {
    const change = (value: unknown): unknown =>
        typeof value === "string"
            ? literalInPod(value)
            : Array.isArray(value)
              ? value.map(change)
              : typeof value === "object" && value !== null
                ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
                : value;
    return change(options) as T;
}

function inSingleQuotes(text: string): string {
    return `'${text.replaceAll("'", `'\\''`)}'`;
}
