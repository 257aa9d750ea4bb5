import { buildSync } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

const root = path.resolve(__dirname, "../../..");
/** Where `quickStart.js` finds the archives. */
const folder = path.join(root, "node_modules", ".cache", "e2e-modules");
const loadAll = path.join(__dirname, "loadAll.js");
const parameters = "exports, require, module, __filename, __dirname, setTimeout, setInterval, setImmediate";
const kubernetesClient = "@kubernetes/client-node";

/** The modules that a process has loaded, and the file that each request of a folder has led to. */
interface Loaded {
    files: string[];
    resolved: Record<string, Record<string, string>>;
}

/**
 * Puts the modules of the program's process, and those of the gates' process, into one compiled file each. Every run of a test starts
 * both, and loading their modules one by one takes more than half of what they cost.
 */
export function archiveModules(): void {
    mkdirSync(folder, { recursive: true });
    const client = path.join(folder, "kubernetes-client.js");
    replace(client, kubernetesClientInOneFile());
    for (const kind of ["run", "dynamic-provider"]) {
        const archive = path.join(folder, kind);
        const { files, resolved } = JSON.parse(execute("record", kind).toString()) as Loaded;
        const functions = (kind === "run" ? files : [...files, client]).map((file) => {
            const source = readFileSync(file, "utf8")
                .replace(/^#!.*/, "")
                .replace(/^\/\/# sourceMappingURL=.*/gm, "")
                // Pulumi takes a stack trace of each promise, in case PULUMI_DEBUG_PROMISE_LEAKS asks for those that never end.
                .replace('"_debugStackTrace", { writable: true, value: new Error().stack }', '"_debugStackTrace", {}')
                // A text of single bytes is read at once.
                .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
                // A compiled script has no modules to import.
                .replace(/\bawait import\("([^"]+)"\)/g, (_, name: string) => {
                    return `require(${JSON.stringify(name === kubernetesClient ? client : name)})`;
                });
            return `${JSON.stringify(file)}: function (${parameters}) {${source}\n}`;
        });
        replace(`${archive}.js`, `({${functions.join(",\n")}})`);
        replace(`${archive}.json`, JSON.stringify(resolved));
        replace(`${archive}.cache`, execute("compile", kind, archive));
    }
}

function execute(...arguments_: string[]): Buffer {
    return execFileSync(process.execPath, [loadAll, ...arguments_], { cwd: root, maxBuffer: 1e9 });
}

/** The official client is an ES module of 700 files, which an archive cannot hold. */
function kubernetesClientInOneFile(): Uint8Array {
    const { outputFiles } = buildSync({
        entryPoints: [createRequire(__filename).resolve(kubernetesClient)],
        bundle: true,
        write: false,
        platform: "node",
        target: "node20",
        format: "cjs",
        minifyWhitespace: true,
        logLevel: "error",
    });
    return outputFiles[0].contents;
}

/** Another test run may be reading the file. */
function replace(file: string, contents: string | Uint8Array): void {
    const half = `${file}.${process.pid}`;
    writeFileSync(half, contents);
    renameSync(half, file);
}
