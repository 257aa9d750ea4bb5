// Installs the dependencies and builds the packages if necessary, so `npm test` and `npm run demo` work in a fresh
// clone. Plain JavaScript without dependencies, because none are installed before it has run.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
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

const installed = changedAt("node_modules/.package-lock.json");
if (installed === 0 || installed < changedAt("package-lock.json")) {
    run("install the dependencies", npm, ["ci", "--no-audit", "--no-fund"]);
}
const sources = ["topology", "components", "provider", "bin", "convert", "testing", "sandbox"].map(newestSource);
const built = ["dist/index.js", "sandbox/dist/index.js"];
const newest = Math.max(changedAt("index.ts"), changedAt("tsconfig.build.json"), ...sources);
if (Math.min(...built.map(changedAt)) < newest) {
    run("build the packages", npm, ["run", "--silent", "build"]);
    built.forEach((file) => fs.utimesSync(path.join(root, file), new Date(), new Date()));
}
