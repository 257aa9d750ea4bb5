"use strict";
/**
 * Loaded first in the processes of the tests' runs: new ones, as with Pulumi's CLI, and those of `warmProcesses.ts`. It makes them cheaper
 * to start:
 * - Modules come out of one compiled file, if `moduleArchive.ts` has made it, instead of a thousand. Their code is the same.
 * - npm's dependency resolver and TypeScript, which only the serialisation of functions uses, the Automation API, and
 *   Kubernetes' charts and YAML files are loaded when they are used.
 * - The debugger that tells where functions were loaded from is left out: the serialisation of functions starts it when it needs it.
 * - Source maps for stack traces are left out: Pulumi takes a stack trace of each promise, and looks each position up. Positions in
 *   traces are those of the compiled files instead.
 */
const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const vm = require("node:vm");

const loadedWhenUsed = {
    "@pulumi/pulumi": ["@npmcli/arborist", "typescript", "./automation"],
    "@pulumi/kubernetes": ["./helm", "./yaml", "./kustomize"],
};
const replaced = {
    "source-map-support/register": {},
    "../../runtime/closure/v8Hooks": { isInitializedAsync: () => Promise.resolve() },
};

const globalTimers = {
    functions: [setTimeout, setInterval, setImmediate],
    promises: require("node:timers/promises"),
};

const load = Module._load;
Module._load = function (request, parent, isMain) {
    const [, sdk] = /[\\/](@pulumi[\\/]\w+)[\\/](?!.*node_modules)/.exec(parent?.filename ?? "") ?? [];
    if (sdk === "@pulumi/pulumi" && Object.hasOwn(replaced, request)) {
        return replaced[request];
    }
    if (!(loadedWhenUsed[sdk] ?? []).includes(request)) {
        return load.call(this, request, parent, isMain);
    }
    let module;
    const get = (_, key) => {
        if (key === "__esModule") {
            return true;
        }
        module ??= load.call(this, request, parent, isMain);
        return module[key];
    };
    return new Proxy({}, { get });
};

const [, kind] = /[\\/]cmd[\\/](run|dynamic-provider)[\\/]/.exec(process.argv[1] ?? "") ?? [];
if (kind !== undefined) {
    useArchiveOf(kind);
}

/** @param {string} kind the folder in `cmd` of what the process runs */
function useArchiveOf(kind, timers) {
    const archive = path.resolve(__dirname, "../../../node_modules/.cache/e2e-modules", kind);
    if (existsSync(`${archive}.js`)) {
        useArchive(archive, timers);
    }
}

/**
 * @param {string} archive the archive's path, without the endings of its files
 * @param {(file: string) => { functions: Function[], promises: object }} timers returns a module's `setTimeout`, `setInterval` and
 * `setImmediate`, and its `node:timers/promises`
 */
function useArchive(archive, timers = () => globalTimers) {
    const source = readFileSync(`${archive}.js`, "latin1");
    const resolved = JSON.parse(readFileSync(`${archive}.json`, "utf8"));
    const cachedData = existsSync(`${archive}.cache`) ? readFileSync(`${archive}.cache`) : undefined;
    const script = new vm.Script(source, { filename: `${archive}.js`, cachedData });
    const functions = script.runInThisContext();

    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (request, parent, isMain, options) {
        const found = options === undefined && parent?.filename && resolved[path.dirname(parent.filename)]?.[request];
        return found || resolve.call(this, request, parent, isMain, options);
    };
    const extension = Module._extensions[".js"];
    Module._extensions[".js"] = function (module, filename) {
        const body = functions[filename];
        if (body === undefined) {
            return extension.call(this, module, filename);
        }
        const { functions: timerFunctions, promises } = timers(filename);
        const require = (id) => (id === "node:timers/promises" ? promises : module.require(id));
        require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
        require.main = process.mainModule;
        require.cache = Module._cache;
        body.call(module.exports, module.exports, require, module, filename, path.dirname(filename), ...timerFunctions);
    };
    return script;
}

module.exports = { useArchive, useArchiveOf };
