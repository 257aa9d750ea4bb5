import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";

/** What `Pulumi.yaml` says of a Node program. */
export interface Project {
    /** The folder of `Pulumi.yaml`. */
    folder: string;
    name: string;
    /** The program's file or folder, relative to `folder`. Default: `folder` itself. */
    main?: string;
    /** Whether TypeScript is compiled while the program runs. Default: true. */
    typescript: boolean;
    /** Path of the program's `tsconfig.json`. Default: the SDK's choice. */
    tsconfig?: string;
    /** Arguments of `node`. Default: none. */
    nodeArguments: string[];
}

/** Reads the `Pulumi.yaml` of a folder. @throws when there is no Pulumi.yaml, or when the program is not one for Node */
export function readProject(folder: string): Project {
    const file = path.join(folder, "Pulumi.yaml");
    if (!existsSync(file)) {
        throw new Error(`no Pulumi.yaml in ${folder}: give the folder of a Pulumi program with --program`);
    }
    const content = parse(readFileSync(file, "utf8")) as {
        name?: string;
        main?: string;
        runtime?: string | { name?: string; options?: { typescript?: boolean; tsconfig?: string; nodeargs?: string } };
    };
    const runtime = typeof content.runtime === "string" ? { name: content.runtime } : content.runtime;
    if (runtime?.name !== "nodejs") {
        throw new Error(
            `${file}: runtime is ${JSON.stringify(runtime?.name)}, the sandbox's engine runs only "nodejs"`,
        );
    }
    if (typeof content.name !== "string" || content.name === "") {
        throw new Error(`${file}: name is missing`);
    }
    return {
        folder: path.resolve(folder),
        name: content.name,
        main: content.main,
        typescript: runtime.options?.typescript ?? true,
        tsconfig: runtime.options?.tsconfig,
        nodeArguments: runtime.options?.nodeargs?.split(/\s+/).filter((argument) => argument !== "") ?? [],
    };
}

/**
 * The stack's configuration: what `Pulumi.<stack>.yaml` says, and over it what the caller says. A key without a
 * namespace belongs to the project.
 * @throws when the file holds an encrypted value, which only the real CLI can open
 */
export function readConfig(project: Project, stack: string, overrides: Record<string, string>): Record<string, string> {
    const file = path.join(project.folder, `Pulumi.${stack}.yaml`);
    const content = existsSync(file)
        ? ((parse(readFileSync(file, "utf8")) ?? {}) as { config?: Record<string, unknown> })
        : {};
    const result: Record<string, string> = {};
    for (const [key, value] of Object.entries({ ...content.config, ...overrides })) {
        if (typeof value === "object" && value !== null && "secure" in value) {
            throw new Error(
                `${file}: config ${key} is encrypted, which the sandbox's engine cannot open. Give it with --config.`,
            );
        }
        const qualified = key.includes(":") ? key : `${project.name}:${key}`;
        result[qualified] = typeof value === "string" ? value : JSON.stringify(value);
    }
    return result;
}
