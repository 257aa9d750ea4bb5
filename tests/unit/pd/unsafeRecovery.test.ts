import * as assert from "node:assert/strict";
import type { PdUnsafeRecovery } from "../../../provider/pd";
import { parseUnsafeRecovery } from "../../../provider/pd/unsafeRecovery";

const time = "2026-11-21 12:03:19.949";
const read = (...stages: object[]): PdUnsafeRecovery => parseUnsafeRecovery(JSON.stringify(stages));
/** As PD 8.5 tells it (tikv/pd v8.5.4 pkg/unsaferecovery/unsafe_recovery_controller.go). */
const collecting = { info: "Unsafe recovery enters collect report stage", time, details: ["Failed stores 5, 4"] };
const forcing = {
    info: "Unsafe recovery enters force leader stage",
    time,
    actions: { "store 1": ["force leader on regions: 8"] },
};

describe("PD's report of an unsafe recovery", () => {
    it("says that there is none", () =>
        assert.deepEqual(read({ info: "No on-going recovery." }), { stage: "none", report: "No on-going recovery." }));

    it("says of which stores it is, and how far it is", () => {
        const status = {
            info: "Collecting reports from alive stores(1/2)",
            time,
            details: [
                "Stores that have not dispatched plan: ",
                "Stores that have reported to PD: 1",
                "Stores that have not reported to PD: 2",
            ],
        };
        assert.deepEqual(read(collecting, forcing, status), {
            stage: "running",
            failedStores: [4, 5],
            report: "Unsafe recovery enters force leader stage; Collecting reports from alive stores(1/2); Stores that have reported to PD: 1; Stores that have not reported to PD: 2",
        });
    });

    it("runs while all stores have reported, and while only the first stage is told", () => {
        assert.equal(read(collecting, { info: "Collected reports from all 2 alive stores", time }).stage, "running");
        assert.equal(read(collecting).stage, "running");
    });

    it("says what it has changed once it has finished", () => {
        const finished = {
            info: "Unsafe recovery Finished",
            time,
            details: ["affected table ids: 64, 66", "no newly created empty regions"],
        };
        assert.deepEqual(read(collecting, forcing, finished), {
            stage: "finished",
            failedStores: [4, 5],
            report: "Unsafe recovery Finished; affected table ids: 64, 66; no newly created empty regions",
        });
    });

    it("says why it has failed", () => {
        const failed = {
            info: "Unsafe recovery Failed: Exceeds timeout 2026-11-21",
            time,
            details: ["no newly created empty regions"],
        };
        const { stage, report } = read(collecting, failed);
        assert.deepEqual(
            [stage, report],
            ["failed", "Unsafe recovery Failed: Exceeds timeout 2026-11-21; no newly created empty regions"],
        );
    });

    it("is the same in small letters, as PD 6.5 and 7.1 write it", () => {
        const small = { info: "Unsafe recovery enters collect report stage", details: ["failed stores 7"] };
        assert.deepEqual(read(small, { info: "Unsafe recovery finished" }), {
            stage: "finished",
            failedStores: [7],
            report: "Unsafe recovery finished",
        });
        assert.equal(read(small, { info: "Unsafe recovery failed: aborted" }).stage, "failed");
    });

    it("names its stores in the first sentence in PD 6.1", () => {
        const first = { info: "Unsafe recovery enters collect report stage: failed stores 4, 5" };
        assert.deepEqual(read(first, { info: "Unsafe recovery finished" }).failedStores, [4, 5]);
    });

    it("names none if PD finds them itself", () => {
        const auto = { info: collecting.info, details: ["auto detect mode with no specified Failed stores"] };
        assert.equal(read(auto).failedStores, undefined);
    });

    it("takes no store from an error", () => {
        const failed = { info: "Unsafe recovery Failed: Receive heartbeat from Failed store 9" };
        assert.deepEqual(read(collecting, failed).failedStores, [4, 5]);
    });

    for (const [title, body] of [
        ["nothing", []],
        ["a text that PD does not write", [{ info: "Unsafe recovery rests" }]],
        ["a stage without words", [{ time }]],
    ] as const) {
        it(`is refused if it is ${title}: that is neither an end nor a recovery that runs`, () =>
            assert.throws(() => parseUnsafeRecovery(JSON.stringify(body)), /the last stage is/));
    }
});
