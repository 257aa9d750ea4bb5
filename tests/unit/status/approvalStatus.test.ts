import * as assert from "node:assert/strict";
import { answerTo } from "../../../bin/approveCommand";
import { htmlStatus } from "../../../status/htmlStatus";
import { textStatus } from "../../../status/textStatus";
import { healthy, now, type Seen, statusOf } from "./seenCluster";

const approvalWait = {
    digest: "3f9c2a11d0e7",
    of: "roll out basic-tikv",
    lets: "restart basic-tikv-2, the first of 3 steps",
    by: "ci@runner, process 71 (90ab3c)",
    since: now - 60_000,
    at: now - 10_000,
};
const seen = (more: Partial<typeof approvalWait> = {}): Partial<Seen> => ({
    lease: { approvalWait: { ...approvalWait, ...more } },
});

describe("a run that waits for approval", () => {
    it("is in the status with the command that consents", () => {
        const { approval } = statusOf(healthy(seen()));
        assert.equal(approval?.command, "npx pulumi-tidb approve basic 3f9c2a11d0e7 --namespace tidb");
        const words =
            /roll out basic-tikv waits for approval of 3f9c2a11d0e7: restart basic-tikv-2, the first of 3 steps; run by ci@runner, .*, since .* \(60 s ago\); run `npx pulumi-tidb approve/;
        assert.match(textStatus(statusOf(healthy(seen()))), words);
        assert.match(htmlStatus(statusOf(healthy(seen()))), /waits for approval of 3f9c2a11d0e7/);
    });

    it("counts as an update that is under way, although it does not hold the lock", () => {
        const statefulSets = { tikv: { image: "pingcap/tikv:v8.5.4" } };
        const [note] = statusOf(healthy({ ...seen(), statefulSets })).remarks;
        assert.match(note, /run different versions: .*: an update is under way$/);
    });

    it("is forgotten once it no longer says so: it was killed", () => {
        assert.equal(statusOf(healthy(seen({ at: now - 90_000 }))).approval, null);
        assert.equal(statusOf(healthy()).approval, null);
    });

    it("is named in the answer to a consent to its plan", () => {
        assert.deepEqual(answerTo("tidb/basic", "3f9c2a11d0e7", approvalWait, now), {
            recorded:
                "approved 3f9c2a11d0e7 of tidb/basic: restart basic-tikv-2, the first of 3 steps (roll out basic-tikv, run by ci@runner, process 71 (90ab3c))",
        });
    });

    it("is named in a warning if it waits for another plan", () => {
        const { recorded, warning } = answerTo("tidb/basic", "000000000000", approvalWait, now);
        assert.equal(recorded, "recorded the consent to plan 000000000000 of tidb/basic");
        assert.match(
            warning!,
            /^ci@runner.* waits for approval of another plan: 3f9c2a11d0e7 \(roll out basic-tikv: restart/,
        );
    });

    it("is not assumed if nobody waits any more", () => {
        for (const wait of [undefined, { ...approvalWait, at: now - 90_000 }]) {
            const { recorded, warning } = answerTo("tidb/basic", "3f9c2a11d0e7", wait, now);
            assert.match(recorded, /^recorded the consent to plan 3f9c2a11d0e7 of tidb\/basic; no run waits/);
            assert.equal(warning, undefined);
        }
    });
});
