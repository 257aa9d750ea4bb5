// Installs the dependencies and builds the packages if necessary, so `npm test`, `npm run demo` and `npm pack` work in a
// fresh clone. With --install it only installs, with --build it only builds. Plain JavaScript without dependencies, because none are installed before it has run.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const [neededMajor, neededMinor] = [20, 19];
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
    console.error(
        `error: found Node.js ${process.versions.node}, but the tools of this repository need ${neededMajor}.${neededMinor} or later. Install it and run the command again.`,
    );
    process.exit(1);
}
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

function changedAt(file) {
    const full = path.join(root, file);
    return fs.existsSync(full) ? fs.statSync(full).mtimeMs : 0;
}

function newestSource(folder) {
    return fs
        .readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name) && !isBuilt(entry.parentPath))
        .reduce((newest, entry) => Math.max(newest, fs.statSync(path.join(entry.parentPath, entry.name)).mtimeMs), 0);
}

function isBuilt(folder) {
    return folder.split(path.sep).includes("dist");
}

function run(what, command, args) {
    console.log(`setup: ${what} (${[command, ...args].join(" ")})`);
    execFileSync(command, args, { cwd: root, stdio: "inherit" });
}

const installs = !process.argv.includes("--build");
const installed = changedAt("node_modules/.package-lock.json");
if (installs && (installed === 0 || installed < changedAt("package-lock.json"))) {
    if (fs.lstatSync(path.join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
        console.error(
            "error: node_modules is a link, and npm ci would empty the folder behind it. Remove the link first",
        );
        process.exit(1);
    }
    run("install the dependencies", npm, ["ci", "--no-audit", "--no-fund"]);
}
const builds = !process.argv.includes("--install");
const { include } = JSON.parse(fs.readFileSync(path.join(root, "tsconfig.build.json"), "utf8"));
const sources = [...include.filter((name) => !name.endsWith(".ts")), "sandbox"].map(newestSource);
const built = ["dist/index.js", "cli/dist/bin/start.js", "sandbox/dist/index.js"];
const newest = Math.max(
    changedAt("index.ts"),
    changedAt("tsconfig.build.json"),
    changedAt("scripts/package.ts"),
    ...sources,
);
if (builds && Math.min(...built.map(changedAt)) < newest) {
    run("build the packages", npm, ["run", "--silent", "build"]);
    built.forEach((file) => fs.utimesSync(path.join(root, file), new Date(), new Date()));
}
