import * as assert from "node:assert/strict";
import { isConflict, notEnded, programProblem } from "../../../../controller/drift/programProblem";

const place = { folder: "/programs/shop", stack: "prod" };
const error = (stderr: string, name = "CommandError"): Error =>
    Object.assign(new Error(`code: -2\n stdout: \n stderr: ${stderr}\n err?: Error: ${stderr}\n`), { name });

describe("Why a program could not be run", () => {
    const rows: [title: string, error: Error, told: string[], line: RegExp][] = [
        [
            "no CLI",
            error("Command failed with ENOENT: pulumi version\nspawn pulumi ENOENT"),
            [],
            /^found no `pulumi` on PATH/,
        ],
        [
            "no such stack",
            error("Command failed with exit code 6\nerror: no stack named 'prod' found", "StackNotFoundError"),
            [],
            /^found no stack prod of the program in \/programs\/shop: check --stack/,
        ],
        [
            "a locked stack",
            error("error: the stack is currently locked by 1 lock(s)", "ConcurrentUpdateError"),
            [],
            /^stack prod is locked by another update; .*`pulumi cancel --stack prod`/,
        ],
        [
            "a wrong passphrase",
            error(
                "Command failed\nerror: getting stack configuration: get stack secrets manager: incorrect passphrase",
            ),
            [],
            /^stack prod cannot be decrypted: set PULUMI_CONFIG_PASSPHRASE/,
        ],
        [
            "what the run told, before what the command printed",
            error("Command failed\nPreviewing update\nerror: preview failed"),
            ["TidbCluster demo: spec.pd.replicas: found -1"],
            /^TidbCluster demo: spec\.pd\.replicas: found -1$/,
        ],
        [
            "another error, by its line",
            error("Command failed\nNoise\nerror: no project file found"),
            [],
            /^no project file found$/,
        ],
        [
            "a step that the plan does not have, without the properties",
            error("Command failed"),
            ["resource urn:pulumi:prod::shop::x violates plan: properties changed: =+data[{token}]"],
            /^resource urn:pulumi:prod::shop::x violates plan$/,
        ],
    ];
    for (const [title, given, told, line] of rows) {
        it(`is told in one line: ${title}`, () => {
            assert.match(programProblem(given, told, place), line);
        });
    }

    it("names each process that may hang: the stack is selected before the preview", () => {
        assert.match(notEnded, /end its `pulumi` process \(`preview`, or `stack select` before it\) by hand/);
    });

    it("is a conflict only if field managers are all that held it up", () => {
        const conflict = 'Preview failed: server-side apply field conflict detected\n conflict with "kubectl-label"';
        assert.equal(isConflict([conflict, conflict]), true);
        assert.equal(isConflict([conflict, "TidbCluster demo: PD does not answer"]), false);
        assert.equal(isConflict([]), false);
    });
});
