import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

/**
 * `npm run build:package` runs this after the compiler, which has put both packages into `dist/`. It moves the command to
 * `cli/dist/`, where everything outside the command's folders is imported from the package `pulumi-tidb`, so the command plans
 * with the same code as the program.
 */
const root = resolve(__dirname, "..");
const dist = join(root, "dist");
const commandDist = join(root, "cli", "dist");
const commandFolders = ["bin", "convert", "plan", "status", "sweep", "controller"];

/** An entry of `pulumi-tidb` for the command alone: `exports` in package.json maps it to `dist/`. */
const internal = "pulumi-tidb/internal";

/** @param file a compiled file of the command. @returns its text, with the imports that it needs in `cli/dist/`. */
function withPackageImports(file: string): string {
    const { resolve: found } = createRequire(file);
    return readFileSync(file, "utf8").replace(/\brequire\("(\.[^"]*)"\)/g, (call, path: string) => {
        const module = relative(dist, found(path));
        return commandFolders.includes(module.split("/")[0]) ? call : `require("${internal}/${module}")`;
    });
}

function moveCommand(): void {
    const compiled = commandFolders
        .flatMap((folder) => readdirSync(join(dist, folder), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
        .map(({ parentPath, name }) => join(parentPath, name));
    for (const file of compiled) {
        const moved = join(commandDist, relative(dist, file));
        mkdirSync(dirname(moved), { recursive: true });
        writeFileSync(moved, withPackageImports(file));
    }
    commandFolders.forEach((folder) => rmSync(join(dist, folder), { recursive: true }));
}

moveCommand();
