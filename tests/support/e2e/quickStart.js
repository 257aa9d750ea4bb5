"use strict";
/**
 * Loaded first in the processes of the tests' runs. It leaves out what Pulumi's SDKs load at each start and these runs seldom
 * need, which is more than half of the time that loading takes:
 * - npm's dependency resolver and TypeScript, which only the serialisation of functions uses, the Automation API, and
 *   Kubernetes' charts and YAML files: they are loaded when they are used.
 * - the debugger that tells where functions were loaded from: the serialisation of functions starts it when it needs it.
 * - source maps for stack traces: Pulumi takes a stack trace of each promise, and looks each position up. Positions in traces are
 *   those of the compiled files instead.
 *
 * The gates' processes get the Kubernetes client in one file, if `programs.ts` has made it.
 */
const { existsSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const clientInOneFile = path.resolve(__dirname, "../../../node_modules/.cache/kubernetes-client/index.mjs");
if (/[\\/]dynamic-provider[\\/]/.test(process.argv[1] ?? "") && existsSync(clientInOneFile)) {
    Module.register(pathToFileURL(path.join(__dirname, "oneFileClient.mjs")).href);
}

const loadedWhenUsed = {
    "@pulumi/pulumi": ["@npmcli/arborist", "typescript", "./automation"],
    "@pulumi/kubernetes": ["./helm", "./yaml", "./kustomize"],
};
const replaced = {
    "source-map-support/register": {},
    "../../runtime/closure/v8Hooks": { isInitializedAsync: () => Promise.resolve() },
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
