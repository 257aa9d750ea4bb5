#!/usr/bin/env node
import * as fs from "node:fs";
import { runBr } from "./br/run";
import { beginCall, recorderVariable, readSettings } from "./recorderFolder";

/** The recorder in the place of `br`: see sandbox/README.md. */
const folder = process.env[recorderVariable];
const { fault, version } = readSettings(folder);
const args = process.argv.slice(2);
const end = beginCall(folder, args, process.env);

runBr(
    args,
    {
        environment: process.env,
        brVersion: version,
        fault,
        kill: () => process.kill(process.pid, "SIGKILL"),
        now: Date.now,
    },
    {
        // Written at once, so that the last words of a process that is killed are there too.
        out: (line) => fs.writeSync(1, `${line}\n`),
        err: (line) => fs.writeSync(2, `${line}\n`),
        append: (file, line) => fs.appendFileSync(file, `${line}\n`),
    },
).then(
    (code) => {
        end(code);
        process.exitCode = code;
    },
    (error: Error) => {
        end(panicCode);
        console.error(error.stack);
        process.exitCode = panicCode;
    },
);

/** The exit code of a Go program that panics. */
const panicCode = 2;
