import { buildSync } from "esbuild";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(__dirname, "..", "..");
const made = new Map<string, string>();
let folder: string | undefined;

/**
 * Puts a program of the sources into one file, which starts several times as fast as from the sources.
 *
 * @param program its path in the repository
 * @returns the path of the file. It is removed when this process ends
 */
function inOneFile(program: string): string {
    folder ??= ownFolder();
    let file = made.get(program);
    if (file === undefined) {
        file = join(folder, basename(program).replace(/\.ts$/, ".js"));
        buildSync({
            entryPoints: [join(root, program)],
            outfile: file,
            bundle: true,
            platform: "node",
            target: "node20",
            packages: "external",
            logLevel: "error",
            // Where the only sources of the command that lie beside a module are.
            define: { __dirname: JSON.stringify(join(root, "components", "discovery")) },
        });
        made.set(program, file);
    }
    return file;
}

/** The command `pulumi-tidb` in one file. */
export const commandInOneFile = (): string => inOneFile("bin/pulumi-tidb.ts");

/** Makes the executable of a recorder start its program from one file. */
export function startFromOneFile(executable: string): void {
    const script = readFileSync(executable, "utf8");
    const started = script.replace(
        /'--require' '[^']*' '([^']*\.ts)'/,
        (_, program: string) => `'${inOneFile(program.slice(root.length + 1))}'`,
    );
    writeFileSync(executable, started);
}

/** Below the packages, so that programs find them. */
function ownFolder(): string {
    const cache = join(root, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    const own = mkdtempSync(join(cache, "programs-"));
    process.once("exit", () => rmSync(own, { recursive: true, force: true }));
    return own;
}
