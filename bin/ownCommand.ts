import { realpathSync } from "node:fs";
import { basename, delimiter, isAbsolute, join, relative, sep } from "node:path";
import { shellWord } from "../components/kubernetes/shellQuote";

/** How this process was started. */
export interface Start {
    /** The path of the program: `process.argv[1]`. */
    readonly program: string | undefined;
    /** The current folder. */
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
    /** Whether the user's shell finds this program as `pulumi-tidb`. */
    readonly isOnPath: boolean;
}

const name = "pulumi-tidb";

/** The words before our command, by the package manager's name in `npm_config_user_agent`. */
const packageManagers: Readonly<Record<string, string>> = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn", bun: "bunx" };

/**
 * Returns how the user starts this program, for commands that messages tell him to run: `pulumi-tidb`, `npx pulumi-tidb`,
 * `node cli/pulumi-tidb.js`.
 */
export function startedAs({ program, folder, environment, isOnPath }: Start): string {
    if (program === undefined || !basename(program).startsWith(name)) {
        return name; // Another program, such as a test, has loaded the command.
    }
    const path = shellWord(pathFrom(folder, program));
    if (program.endsWith(".ts")) {
        return `npx tsx ${path}`;
    }
    // A package manager puts our folder on PATH only for its own processes.
    const manager = environment.npm_config_user_agent?.split("/")[0];
    const isItsOwn = program.split(sep).includes("node_modules");
    if (manager !== undefined && isItsOwn && manager in packageManagers) {
        // What was given as `npx --package=…`; npm separates several by empty lines.
        const packages = manager === "npm" ? (environment.npm_config_package ?? "").split("\n").filter(Boolean) : [];
        return [packageManagers[manager], ...packages.map((one) => `--package=${shellWord(one)}`), name].join(" ");
    }
    if (isOnPath) {
        return name;
    }
    return program.endsWith(".js") ? `node ${path}` : path;
}

/** Returns how the user started this process. */
export function ownCommand(): string {
    const [program, environment] = [process.argv[1], process.env];
    return startedAs({
        program,
        folder: process.cwd(),
        environment,
        isOnPath: program !== undefined && isSameFile(program, environment.PATH ?? ""),
    });
}

/** Whether the first `pulumi-tidb` on PATH is the given program. */
function isSameFile(program: string, path: string): boolean {
    const found = path
        .split(delimiter)
        .map((folder) => realPath(join(folder, name)))
        .find((file) => file !== undefined);
    return found !== undefined && found === realPath(program);
}

function realPath(file: string): string | undefined {
    try {
        return realpathSync(file);
    } catch {
        return undefined; // Not there, or not readable: a shell does not start it either.
    }
}

/** A path below the folder is relative, and begins with `./` if a shell would otherwise look for it on PATH. */
function pathFrom(folder: string, program: string): string {
    const path = relative(folder, program);
    if (path.startsWith("..") || isAbsolute(path)) {
        return program;
    }
    return path.includes(sep) ? path : `.${sep}${path}`;
}
