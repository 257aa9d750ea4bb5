#!/usr/bin/env node
import * as fs from "node:fs";
import { carryOut } from "./rclone/carryOut";
import { exitCodes, parseCall, RcloneError } from "./rclone/parseCall";
import { beginCall, recorderVariable } from "./recorderFolder";

/** The recorder in the place of `rclone`: see sandbox/README.md. */
const args = process.argv.slice(2);
const end = beginCall(process.env[recorderVariable], args, process.env);

async function run(): Promise<number> {
    try {
        const output = await carryOut(parseCall(args), process.env, () => fs.readFileSync(0, "utf8"));
        fs.writeSync(1, Buffer.isBuffer(output) ? output : Buffer.from(output.map((line) => `${line}\n`).join("")));
        return 0;
    } catch (error) {
        fs.writeSync(2, `ERROR : ${(error as Error).message}\n`);
        return error instanceof RcloneError ? error.exitCode : exitCodes.failed;
    }
}

void run().then((code) => {
    end(code);
    process.exitCode = code;
});
