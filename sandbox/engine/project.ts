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
}

/**
 * Reads the `Pulumi.yaml` of a folder.
 * @throws if there is no Pulumi.yaml, or if the program is not for Node
 */
export function readProject(folder: string): Project {
    const file = path.join(folder, "Pulumi.yaml");
    if (!existsSync(file)) {
        throw new Error(`found no Pulumi.yaml in ${folder}: pass the folder of a Pulumi program with --program`);
    }
    const content = parse(readFileSync(file, "utf8")) as {
        name?: string;
        main?: string;
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
 * Reads the stack's configuration from `Pulumi.<stack>.yaml`. Values from the caller take precedence. A key without a
 * namespace belongs to the project.
 * @throws if the file contains an encrypted value, which only the real CLI can decrypt
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
                `${file}: config ${key} is encrypted, and the sandbox's engine cannot decrypt it. Set it with --config.`,
            );
        }
        const qualified = key.includes(":") ? key : `${project.name}:${key}`;
        result[qualified] = typeof value === "string" ? value : JSON.stringify(value);
    }
    return result;
}
