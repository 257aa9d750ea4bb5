import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../docs/pages";

interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
}

export interface Job {
    readonly permissions?: Readonly<Record<string, string>>;
    readonly "timeout-minutes"?: number;
    readonly environment?: string;
    readonly needs?: string;
    readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
    readonly steps: readonly Step[];
}

export interface Workflow {
    /** From the root of the repository. */
    readonly path: string;
    readonly text: string;
    readonly on: Readonly<Record<string, unknown>>;
    readonly permissions?: unknown;
    readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(".github", "workflows");

export function workflows(): Workflow[] {
    return readdirSync(join(root, folder)).map((name) => {
        const path = join(folder, name);
        const text = readFileSync(join(root, path), "utf8");
        return { ...(parse(text) as Omit<Workflow, "path" | "text">), path, text };
    });
}

/** @throws Error if there is no such file. */
export function workflow(name: string): Workflow {
    const found = workflows().find(({ path }) => path === join(folder, name));
    if (found === undefined) {
        throw new Error(`found no ${join(folder, name)}`);
    }
    return found;
}

/** The text of every file that names actions: workflows, and actions of this repository. */
export function filesWithActions(): { path: string; text: string }[] {
    const actions = join(".github", "actions");
    const own = readdirSync(join(root, actions)).map((name) => join(actions, name, "action.yml"));
    return [...workflows(), ...own.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))];
}

/** The shell commands of a job, one text each step. */
export function commandsOf({ steps }: Job): string[] {
    return steps.flatMap(({ run }) => run ?? []);
}
