#!/usr/bin/env node
import * as fs from "node:fs";
import { beginCall, recorderVariable, readSettings } from "./recorderFolder";
import { runTikvCtl } from "./tikvCtl/run";

/** The recorder in the place of `tikv-ctl`: see sandbox/README.md. */
const folder = process.env[recorderVariable];
const args = process.argv.slice(2);
const end = beginCall(folder, args, process.env);
let isInterrupted = false;
process.on("SIGINT", () => (isInterrupted = true));

void runTikvCtl(
    args,
    {
        environment: process.env,
        fault: readSettings(folder).fault,
        kill: () => process.kill(process.pid, "SIGKILL"),
        now: Date.now,
        isAborted: () => isInterrupted,
    },
    (line) => fs.writeSync(2, `${line}\n`),
).then((code) => {
    end(code);
    process.exitCode = code;
});
