"use strict";
/**
 * Loads what a process of a run loads, for `moduleArchive.ts`.
 * `record KIND` prints the modules and how they were found; `compile KIND ARCHIVE` loads them from the archive, and prints its code cache.
 */
const Module = require("node:module");
const path = require("node:path");
const { useArchive } = require("./quickStart.js");

const [mode, kind, archive] = process.argv.slice(2);

function record() {
    const files = new Set();
    const resolved = {};
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (request, parent, isMain, options) {
        const file = resolve.call(this, request, parent, isMain, options);
        if (options === undefined && parent?.filename && path.isAbsolute(file)) {
            (resolved[path.dirname(parent.filename)] ??= {})[request] = file;
        }
        return file;
    };
    const extension = Module._extensions[".js"];
    Module._extensions[".js"] = function (module, filename) {
        files.add(filename);
        return extension.call(this, module, filename);
    };
    return () => JSON.stringify({ files: [...files], resolved });
}

function compile() {
    const script = useArchive(archive);
    return () => script.createCachedData();
}

/** A program with most members, and Pulumi's mocks. */
async function runProgram() {
    // The process's main module would begin a run.
    const main = require.resolve("@pulumi/pulumi/cmd/run");
    require.cache[main] = { id: main, filename: main, loaded: true, exports: {}, children: [], paths: [] };
    require("@pulumi/pulumi/cmd/run/instrumentation");
    require("@pulumi/pulumi/cmd/run/run");
    require("minimist");
    const pulumi = require("@pulumi/pulumi");
    await pulumi.runtime.setMocks({
        newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
        call: ({ inputs }) => inputs,
    });
    const { TidbCluster } = require("pulumi-tidb");
    const storage = { requests: { storage: "1Gi" } };
    const member = { replicas: 3, config: {}, ...storage };
    new TidbCluster("demo", {
        metadata: { namespace: "demo" },
        spec: {
            version: "v8.5.2",
            pd: member,
            tikv: member,
            tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
        },
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
}

function runGates() {
    console.log = () => {};
    process.argv.splice(2, Infinity, "127.0.0.1:1");
    require("@pulumi/pulumi/cmd/dynamic-provider");
    require("pulumi-tidb/provider/gates");
    if (archive !== undefined) {
        require(path.join(path.dirname(archive), "kubernetes-client.js"));
    }
}

async function main() {
    const result = mode === "record" ? record() : compile();
    await (kind === "run" ? runProgram() : runGates());
    process.stdout.write(result(), () => process.exit());
}
void main();
