import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { newStartFailures, ownerLog, startFailure } from "../../../sandbox/dataPlane/startFailures";

describe("what a sandbox says of pods that do not start", () => {
    const failure = startFailure("shop/shop-pd-0", "toml: cannot load TOML value of type string into a Go slice");
    let folder: string;
    const log = (text: string) => fs.appendFileSync(ownerLog(folder), text);
    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "start-failures-"));
        fs.mkdirSync(path.dirname(ownerLog(folder)));
    });
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    it("is what came into its log since the run began, each once, and nothing else of it", () => {
        log(`2026-11-26T12:00:00.000Z ${failure}, in an earlier run\n`);
        const failures = newStartFailures(folder);
        assert.deepEqual(failures(), []);
        log(
            `2026-11-26T12:01:00.000Z the watch of pods failed: closed; listing again\n2026-11-26T12:01:01.000Z ${failure}\n`,
        );
        assert.deepEqual(failures(), [failure]);
        assert.deepEqual(failures(), []);
    });

    it("is a whole line", () => {
        const failures = newStartFailures(folder);
        log(`2026-11-26T12:01:01.000Z ${failure.slice(0, 40)}`);
        assert.deepEqual(failures(), []);
        log(`${failure.slice(40)}\n`);
        assert.deepEqual(failures(), [failure]);
    });
});
