import * as assert from "node:assert/strict";
import { brPdArgument } from "../../../../topology/backupPods";
import { observeBeside } from "../../../../provider/cluster/jobs/observeJob";
import { heldBack, type JobBeside } from "../../../../provider/lifecycle/jobs/jobsBeside";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { target } from "./observed";
import { repeats } from "../../../support/repeats";

const into = brPdArgument("basic", "tidb");
const third = { ...target, job: "restore-monday-3", attempt: 3 };
const restore = { ...target, job: "restore-monday", into };
const one = (job: string, more: Partial<JobBeside> = {}): JobBeside => ({ job, uid: "u9", args: [], ...more });
const restoring = (job: string, pd = into, more: Partial<JobBeside> = {}) =>
    one(job, { args: ["restore", "full", pd], ...more });

describe("a Job that is to begin beside others", () => {
    const rows: [string, JobBeside[], typeof restore | typeof third, string | undefined][] = [
        ["begins if it is alone", [], third, undefined],
        ["is refused beside the first attempt", [one("restore-monday")], third, "refused"],
        ["is refused beside the second attempt", [one("restore-monday-2")], third, "refused"],
        ["does not mind itself", [one("restore-monday-3", { uid: "u1" })], third, undefined],
        ["does not mind a later attempt", [one("restore-monday-4")], third, undefined],
        ["does not mind a run of a schedule", [one("restore-monday-29310480")], third, undefined],
        ["does not mind one whose name begins alike", [one("restore-monday-shop")], third, undefined],
        ["as the first attempt does not mind its name with a number", [one("restore-monday-0")], target, undefined],
        ["waits for the pod of an earlier attempt", [one("restore-monday", { pod: "p" })], third, "waits"],
        ["waits for another restore into its cluster", [restoring("restore-tuesday")], restore, "waits"],
        ["waits for its pod", [restoring("restore-tuesday", into, { pod: "p" })], restore, "waits"],
        [
            "does not wait for its own pod",
            [restoring("restore-monday", into, { uid: "u1", pod: "p" })],
            restore,
            undefined,
        ],
        [
            "does not wait for a restore into another cluster",
            [restoring("restore-tuesday", brPdArgument("other", "tidb"))],
            restore,
            undefined,
        ],
        [
            "does not wait for a backup of the cluster",
            [one("backup-monday", { args: ["backup", into] })],
            restore,
            undefined,
        ],
        ["waits for no restore if it restores nothing", [restoring("restore-tuesday")], target, undefined],
        [
            "is refused beside an earlier attempt, also if another restore is at work",
            [restoring("restore-tuesday"), one("restore-monday-2", { pod: "p" }), one("restore-monday")],
            { ...third, into },
            "refused",
        ],
    ];
    for (const [title, beside, of, is] of rows) {
        it(title, () => assert.equal(heldBack(known(beside, "x", 0), of)?.is, is));
    }

    it("does not begin while that is not known", () => {
        assert.equal(heldBack(notKnown("no answer"), target)?.is, "not known");
    });

    it("says how a wait for a pod ends", () => {
        const { lacks, remedy } = heldBack(known([one("restore-monday", { pod: "p" })], "x", 0), third)!;
        assert.equal(lacks, "pod p of Job tidb/restore-monday, an earlier attempt, has not ended");
        repeats(remedy, "kubectl delete pod p --namespace tidb");
    });
});

describe("the Jobs that may be at work", () => {
    const job = (
        name: string,
        spec: object = {},
        more: { generation?: number; deletionTimestamp?: string } = {},
        status = {},
    ) => ({
        metadata: { name, namespace: "tidb", uid: name, generation: 2, ...more },
        spec: { template: { spec: { containers: [{ args: ["restore", into] }] } }, ...spec },
        status,
    });
    const over = (type: string) => ({ conditions: [{ type, status: "True" }] });

    it("are those that were started and have not ended, and pods that outlive theirs", async () => {
        const asked: string[] = [];
        const jobs = [
            job("at-work"),
            job("not-started", { suspend: true }, { generation: 1 }),
            job("suspended-by-a-person", { suspend: true }),
            job("goes", {}, { deletionTimestamp: "2026-11-26T00:00:00Z" }),
            job("succeeded", {}, {}, over("Complete")),
            job("failed", {}, {}, over("Failed")),
        ];
        const owner = { kind: "Job", name: "gone", uid: "u7" };
        const pods = [
            {
                metadata: { name: "gone-x", ownerReferences: [owner] },
                spec: { containers: [{ args: ["restore", into] }] },
            },
            { metadata: { name: "of-nobody" } },
        ];
        const calls = {
            jobs: (selector: string) => Promise.resolve((asked.push(`jobs ${selector}`), jobs)),
            livePods: () => Promise.resolve((asked.push("pods"), pods)),
        };
        const found = await observeBeside(calls as never, () => 7);
        assert.ok(found.known);
        assert.deepEqual(
            found.value.map((beside) => [beside.job, beside.uid, beside.pod, beside.args]),
            [
                ["at-work", "at-work", undefined, ["restore", into]],
                ["suspended-by-a-person", "suspended-by-a-person", undefined, ["restore", into]],
                ["gone", "u7", "gone-x", ["restore", into]],
            ],
        );
        assert.deepEqual(asked, ["jobs ", "pods"]);
    });
});
