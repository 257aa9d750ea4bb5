#!/usr/bin/env node
// Stands in for the Pulumi CLI: notes how it was called, and plays what a file says. Older than 3.206, so it writes events to a file.
/* eslint-disable @typescript-eslint/no-require-imports -- Node takes a program without an ending for CommonJS. */
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const folder = process.env.STAND_IN_FOLDER;
const words = process.argv.slice(2);
const option = (name) => words[words.indexOf(name) + 1];
const { PULUMI_K8S_ENABLE_PATCH_FORCE: force = "" } = process.env;
const note = (what) => fs.appendFileSync(path.join(folder, "calls"), `${what}\n`);

const plays = JSON.parse(fs.readFileSync(path.join(folder, "plays.json"), "utf8"));
const kind = words.includes("--refresh") ? `${words[0]} --refresh` : words[0];

if (words[0] === "version") {
    console.log("v3.200.0");
} else if (words[0] === "stack") {
    const { stderr = "", exitCode = 0 } = plays[`stack ${words[1]}`] ?? {};
    process.stderr.write(stderr);
    console.log(words[1] === "history" ? "[]" : "{}");
    process.exitCode = exitCode;
} else {
    note(
        `${kind}${words.includes("--save-plan") ? " --save-plan" : ""}${words.includes("--plan") ? ` --plan ${fs.existsSync(option("--plan")) ? "there" : "gone"}` : ""}${force && " by force"} in ${process.cwd()} of ${option("--stack")}`,
    );
    const { events = [], counts = {}, stderr = "", exitCode = 0, waits = false } = plays[kind] ?? {};
    if (words.includes("--save-plan")) {
        fs.writeFileSync(option("--save-plan"), "{}");
        note(`plan of ${(fs.statSync(path.dirname(option("--save-plan"))).mode & 0o777).toString(8)}`);
    }
    for (const event of events) {
        fs.appendFileSync(option("--event-log"), `${JSON.stringify(event)}\n`);
    }
    if (exitCode === 0 && !waits && counts !== "none") {
        const summaryEvent = { resourceChanges: counts };
        fs.appendFileSync(option("--event-log"), `${JSON.stringify({ sequence: 9, timestamp: 1, summaryEvent })}\n`);
    }
    process.stderr.write(stderr);
    if (waits) {
        const alive = setInterval(() => {}, 1000);
        let heard = 0;
        process.on("SIGINT", () => {
            note("SIGINT");
            heard += 1;
            if (heard >= (waits.interrupts ?? 1)) {
                clearInterval(alive);
                process.exitCode = 1;
            }
        });
        fs.writeFileSync(path.join(folder, "pid"), String(process.pid));
        note("waits");
    } else {
        process.exitCode = exitCode;
    }
}
