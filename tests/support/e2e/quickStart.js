"use strict";
/**
 * Loaded first in the processes of the tests' runs. It leaves out what Pulumi's SDK loads at each start and these runs seldom
 * need, which is more than half of the time that loading takes:
 * - npm's dependency resolver and TypeScript, which only the serialisation of functions uses: they are loaded when it does.
 * - source maps for stack traces: Pulumi takes a stack trace of each promise, and looks each position up. Positions in traces are
 *   those of the compiled files instead.
 */
const Module = require("node:module");

const loadedWhenUsed = ["@npmcli/arborist", "typescript"];
const leftOut = ["source-map-support/register"];

const load = Module._load;
Module._load = function (request, parent, isMain) {
    const isOfPulumi = (parent?.filename ?? "").includes("@pulumi/pulumi");
    if (isOfPulumi && leftOut.includes(request)) {
        return {};
    }
    if (!isOfPulumi || !loadedWhenUsed.includes(request)) {
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
