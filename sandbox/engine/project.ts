import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";

/** The contents of the `Pulumi.yaml` of a Node program. */
export interface Project {
    /** The folder of `Pulumi.yaml`. */
    folder: string;
    name: string;
    /** The program's file or folder, relative to `folder`. Default: `folder` itself. */
    main?: string;
    /** Whether TypeScript is compiled while the program runs. Default: true. */
    typescript: boolean;
    /** The path of the program's `tsconfig.json`. Default: the SDK decides. */
    tsconfig?: string;
    /** The arguments of `node`. Default: none. */
    nodeArguments: string[];
    /** The folder of the stacks' configuration, relative to `folder`. Default: `folder` itself. */
    stackConfigFolder?: string;
    /** The configuration that `Pulumi.yaml` declares for all stacks, by key. */
    config: Record<string, unknown>;
}

/** Sections of a `Pulumi.yaml` that the engine would have to ignore. */
const unsupportedSections = ["plugins", "packages"];

/**
 * Reads the `Pulumi.yaml` of a folder.
 * @throws if there is no Pulumi.yaml, or if the program is not for Node
 */
export function readProject(folder: string): Project {
    const file = path.join(folder, "Pulumi.yaml");
    if (!existsSync(file)) {
        throw new Error(`found no Pulumi.yaml in ${folder}: pass the folder of a Pulumi program`);
    }
    const content = parse(readFileSync(file, "utf8")) as {
        name?: string;
        main?: string;
        config?: unknown;
        stackConfigDir?: string;
        runtime?: string | { name?: string; options?: { typescript?: boolean; tsconfig?: string; nodeargs?: string } };
    };
    const runtime = typeof content.runtime === "string" ? { name: content.runtime } : content.runtime;
    if (runtime?.name !== "nodejs") {
        throw new Error(
            `${file}: found runtime ${JSON.stringify(runtime?.name)}, expected "nodejs": the sandbox's engine runs only Node.js programs`,
        );
    }
    if (typeof content.name !== "string" || content.name === "") {
        throw new Error(`${file}: the name is missing`);
    }
    const unsupported = unsupportedSections.find((section) => section in content);
    if (unsupported !== undefined) {
        throw new Error(
            `${file}: found \`${unsupported}\`, which the sandbox's engine does not support: it takes plugins only from PATH. ` +
                "Remove it, or use the Pulumi CLI.",
        );
    }
    if (content.config !== undefined && content.config !== null && !isMap(content.config)) {
        throw new Error(`${file}: config: expected keys with values`);
    }
    return {
        folder: path.resolve(folder),
        name: content.name,
        main: content.main,
        typescript: runtime.options?.typescript ?? true,
        tsconfig: runtime.options?.tsconfig,
        nodeArguments: runtime.options?.nodeargs?.split(/\s+/).filter((argument) => argument !== "") ?? [],
        stackConfigFolder: content.stackConfigDir,
        config: content.config ?? {},
    };
}

function isMap(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads the stack's configuration: the values of `Pulumi.yaml`, then those of `Pulumi.<stack>.yaml`, then those of the caller, which
 * take precedence. A key without a namespace belongs to the project.
 * @throws if a value is encrypted, which only the real CLI can decrypt, or if a declared value is missing
 */
export function readConfig(project: Project, stack: string, overrides: Record<string, string>): Record<string, string> {
    const file = path.join(project.folder, project.stackConfigFolder ?? ".", `Pulumi.${stack}.yaml`);
    const content = existsSync(file)
        ? ((parse(readFileSync(file, "utf8")) ?? {}) as { config?: Record<string, unknown> })
        : {};
    const qualified = (values: Record<string, unknown>) =>
        Object.entries(values).map(([key, value]) => [key.includes(":") ? key : `${project.name}:${key}`, value]);
    const declared = Object.fromEntries(qualified(project.config)) as Record<string, unknown>;
    const given = Object.fromEntries([...qualified(content.config ?? {}), ...qualified(overrides)]) as typeof declared;
    const result: Record<string, string> = {};
    for (const [key, declaration] of Object.entries(declared)) {
        const value = declaredValue(declaration);
        if (value === undefined && given[key] === undefined) {
            throw new Error(
                `${file}: config ${key} is missing, and Pulumi.yaml declares it without a default. Set it.`,
            );
        }
        if (value !== undefined) {
            result[key] = textOf(value);
        }
    }
    for (const [key, value] of Object.entries(given)) {
        if (isMap(value) && "secure" in value) {
            throw new Error(
                `${file}: config ${key} is encrypted, and the sandbox's engine cannot decrypt it. Set it with --config.`,
            );
        }
        result[key] = textOf(value);
    }
    return result;
}

/** A declaration of `Pulumi.yaml` is a value, or a map with `value`, or a map with a type and perhaps a `default`. */
function declaredValue(declaration: unknown): unknown {
    return isMap(declaration) ? (declaration.value ?? declaration.default) : declaration;
}

function textOf(value: unknown): string {
    return typeof value === "string" ? value : JSON.stringify(value);
}
