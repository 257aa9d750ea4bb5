import * as assert from "node:assert/strict";
import { brPdArgument } from "../../../../topology/backupPods";
import { observeBackups } from "../../../../provider/cluster/observeBackups";
import { type BackupPod, runningBackups } from "../../../../provider/lifecycle/backups/runningBackups";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { nextScaleMove } from "../../../../provider/lifecycle/walks/scale";
import type { StepKind } from "../../../../provider/lifecycle/vocabulary/actions";
import { type GatePolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { plannedRollout } from "../../../support/lifecycle/planned";
import { runningMeanwhile, dependsOnBackups } from "../../../../provider/lifecycle/stages/runningBackups";
import { decisionTable, neverStarted as stopped, type Row, waited } from "../../../support/lifecycle/decisionTable";
import { wordTable } from "../../../support/lifecycle/inWords";
import { evicting, now, observed } from "../../../support/lifecycle/observations";
import { podBatch } from "../../../support/lifecycle/batches";
import { batchOf, evictionsOf, zoned } from "../../../support/lifecycle/zones";
import { repeats } from "../../../support/repeats";

const running = [{ name: "Job backup-monday", does: "backs up" as const, state: "pod backup-monday-x7k2p: Running" }];
const held = "wait no-backup-runs";

const restarts: Row[] = [
    ["a backup holds the restart of a store back", { stale: [3], backups: running }, `${held} basic-tikv-3`],
    ["which backups run is asked first", { stale: [3], backups: null }, "look backups:true"],
    ["none runs", { stale: [3], backups: [] }, "begin-eviction 13"],
    [
        "by choice the restart goes on, and nothing is asked",
        { stale: [3], backups: null, policy: { duringBackup: "continue" } },
        "begin-eviction 13",
    ],
    [
        "an eviction that was begun goes on",
        { stale: [3], backups: running, evicted: [13], records: evicting(3), ownLeaders: { 3: 200 } },
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "that of another store does not make this one begin",
        { stale: [2], backups: running, records: evicting(3), evicted: [13] },
        "end-eviction 13",
    ],
    [
        "a store without a process restarts",
        { stale: [3], backups: running, pods: { 3: stopped } },
        "restart basic-tikv-3",
    ],
    ["nothing is held back if nothing restarts", { backups: running }, "done"],
    [
        "after an hour it fails",
        { stale: [3], backups: running },
        "fail no-backup-runs basic-tikv-3",
        waited("no-backup-runs", "basic-tikv-3", 3600),
    ],
    [
        "or after the time of the program",
        { stale: [3], backups: running, policy: { backupWaitSeconds: 7 } },
        "fail no-backup-runs basic-tikv-3",
        waited("no-backup-runs", "basic-tikv-3", 7),
    ],
];
decisionTable("a backup that runs, and the restart of a store", "tikv", restarts, nextRolloutMove);

decisionTable(
    "a backup that runs, and a batch of stores on record",
    "tikv",
    [
        [
            "none of its restarts is begun",
            zoned({ backups: running, records: batchOf([5, 2]) }),
            `${held} basic-tikv-5`,
        ],
        [
            "one store is back, and the other one is not begun",
            zoned({ backups: running, records: batchOf([5, 2]), stale: [0, 1, 2, 3, 4] }),
            `${held} basic-tikv-2`,
        ],
        [
            "the leaders of one store leave: the other one does not keep it waiting",
            zoned({
                ...{ backups: running, records: batchOf([5, 2], evictionsOf([5])), evicted: [15] },
                ownLeaders: { 5: 0 },
            }),
            "begin-eviction 12",
        ],
        [
            "an eviction that has ended is none",
            zoned({
                ...{ backups: running, stale: [0, 1, 2, 3, 4], persisted: null },
                records: batchOf([5, 2], evictionsOf([5], { endedAt: now - 9_000, endedUnder: "7" })),
            }),
            `${held} basic-tikv-2`,
        ],
    ],
    nextRolloutMove,
);

const pdBatch = {
    ...{ live: 5, stale: [0, 1, 2, 3], backups: running, records: podBatch("pd", 3, 2) },
    policy: { parallelism: 9 },
};
decisionTable(
    "a backup that runs, and a batch of PD's members on record",
    "pd",
    [
        ["none of its restarts is begun", pdBatch, `${held} basic-pd-3`],
        ["one member is back", { ...pdBatch, stale: [0, 1, 2] }, `${held} basic-pd-2`],
        ["one member is down", { ...pdBatch, pods: { 3: undefined } }, "restart basic-pd-2"],
        ["one member stops", { ...pdBatch, pods: { 3: { terminating: true } } }, "restart basic-pd-2"],
    ],
    nextRolloutMove,
);

decisionTable(
    "a backup that runs, and the restart of a PD member",
    "pd",
    [
        ["it holds it back", { stale: [2], backups: running }, `${held} basic-pd-2`],
        ["none runs", { stale: [2], backups: [] }, "restart basic-pd-2"],
    ],
    nextRolloutMove,
);

decisionTable(
    "a backup that runs, and a scale-in of TiKV",
    "tikv",
    [
        ["it holds it back", { live: 4, replicas: 3, backups: running }, `${held} basic-tikv-3`],
        ["none runs", { live: 4, replicas: 3, backups: [] }, "remove-store 13"],
        [
            "a store that leaves already goes on leaving",
            { live: 4, replicas: 3, backups: running, stores: { 3: { state: "Offline" } } },
            "wait store-tombstone basic-tikv-3",
        ],
        [
            "a store is still Disconnected for a moment after an election",
            { live: 4, replicas: 3, backups: running, stores: { 3: { state: "Disconnected" } } },
            `${held} basic-tikv-3`,
        ],
        [
            "a store that is Down leads nothing",
            { live: 4, replicas: 3, backups: running, stores: { 3: { state: "Down" } } },
            "remove-store 13",
        ],
    ],
    nextScaleMove,
);

wordTable(
    "what a user reads of a backup that runs",
    "tikv",
    [
        [
            "while it is waited for",
            { stale: [3], backups: running },
            "wait no-backup-runs basic-tikv-3: Job backup-monday backs up this cluster (pod backup-monday-x7k2p: Running)",
        ],
        [
            "when the time is over",
            { stale: [3], backups: running },
            'fail no-backup-runs basic-tikv-3: Job backup-monday backs up this cluster (pod backup-monday-x7k2p: Running), for 3600 s. Next: run `pulumi up` again once it has ended: it continues from here. If it can never end, delete its Job. `operations.backup.duringBackup: "continue"` goes on beside it',
            waited("no-backup-runs", "basic-tikv-3", 3600),
        ],
    ],
    nextRolloutMove,
);

describe("the backups of a cluster that run", () => {
    const pod = (more: Partial<BackupPod> = {}): BackupPod => ({
        ...{ name: "backup-monday-x7k2p", job: "backup-monday", phase: "Running", terminating: false },
        args: ["backup", "full", brPdArgument("basic", "tidb")],
        ...more,
    });
    const rows: [string, Partial<BackupPod>, string[], string?][] = [
        ["one", {}, ["pod backup-monday-x7k2p: Running"]],
        [
            "one that has not begun",
            { phase: "Pending" },
            [
                "pod backup-monday-x7k2p: Pending; if it can never start: kubectl delete job backup-monday --namespace tidb",
            ],
        ],
        ["one that is being stopped", { terminating: true }, ["pod backup-monday-x7k2p: Running, being deleted"]],
        ["one of which its node says nothing", { phase: "" }, ["pod backup-monday-x7k2p: Unknown"]],
        ["one that has succeeded", { phase: "Succeeded" }, []],
        ["one that has failed", { phase: "Failed" }, []],
        ["one of another cluster", { args: ["backup", "full", brPdArgument("other", "tidb")] }, []],
        ["one of the cluster of that name elsewhere", { args: ["backup", brPdArgument("basic", "other")] }, []],
        [
            "a restore into it",
            { args: ["restore", "full", brPdArgument("basic", "tidb")] },
            ["pod backup-monday-x7k2p: Running"],
            "restores into",
        ],
        ["a restore into another cluster", { args: ["restore", "full", brPdArgument("other", "tidb")] }, []],
        ["the Job of a log backup", { args: ["log", "start", brPdArgument("basic", "tidb")] }, []],
    ];
    for (const [title, more, states, does = "backs up"] of rows) {
        it(`are named by pod and state: ${title}`, () => {
            const found = runningBackups([pod(more)], "basic", "tidb");
            assert.deepEqual(
                found,
                states.map((state) => ({ name: "Job backup-monday", does, state })),
            );
        });
    }

    it("have the name of their pod if no Job owns it", () => {
        const [{ name }] = runningBackups([pod({ job: undefined })], "basic", "tidb");
        assert.equal(name, "pod backup-monday-x7k2p");
    });

    it("are read with one list of the pods that have not ended, with their arguments", async () => {
        const asked: object[] = [];
        const job = { kind: "Job", name: "backup-nightly-29000", apiVersion: "batch/v1", uid: "u" };
        const items = [
            {
                metadata: { name: "nightly-abc", ownerReferences: [job] },
                // The init container of a schedule's run has BR, and the container deletes old backups.
                spec: {
                    initContainers: [{ name: "backup", args: [...pod().args] }],
                    containers: [{ name: "retention" }],
                },
                status: { phase: "Pending" },
            },
        ];
        const core = {
            listNamespacedPod: (request: object) => {
                asked.push(request);
                return Promise.resolve({ items });
            },
        };
        const calls = { core, read: <T>(_what: string, request: () => Promise<T>) => request() };
        const found = await observeBackups(calls as never, { namespace: "tidb", cluster: "basic" });
        assert.deepEqual(found, [
            {
                name: "Job backup-nightly-29000",
                does: "backs up",
                state: "pod nightly-abc: Pending; if it can never start: kubectl delete job backup-nightly-29000 --namespace tidb",
            },
        ]);
        assert.deepEqual(asked, [
            {
                namespace: "tidb",
                labelSelector: "app.kubernetes.io/component in (backup,restore)",
                fieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
            },
        ]);
    });
});

describe("the plan beside a backup that runs", () => {
    const depends = (component: "pd" | "tikv" | "tidb", kind: StepKind) => dependsOnBackups([{ kind }], component);

    it("depends on it if a pod of PD or TiKV restarts, or a store is removed", () => {
        assert.deepEqual(
            [depends("tikv", "restart"), depends("tikv", "remove"), depends("pd", "restart")],
            [true, true, true],
        );
        assert.deepEqual(
            [depends("tidb", "restart"), depends("pd", "remove"), depends("tikv", "start")],
            [false, false, false],
        );
    });

    const planned = (policy: Partial<GatePolicy>) => {
        const { observation, target } = observed("tikv", { stale: [3], backups: running, policy });
        return {
            steps: plannedRollout(observation, target),
            remarks: runningMeanwhile(observation, [{ kind: "restart" }], target),
        };
    };

    it("waits for its end before it evicts leaders: it ends by itself, so nothing is held", () => {
        const { steps, remarks } = planned({});
        assert.equal(
            steps[0].does[0],
            "wait: Job backup-monday backs up this cluster (pod backup-monday-x7k2p: Running)",
        );
        assert.deepEqual(remarks, []);
    });

    it("has a remark if it goes on by choice", () => {
        const { steps, remarks } = planned({ duringBackup: "continue" });
        assert.ok(!steps[0].does[0].includes("backup-monday"), steps[0].does[0]);
        repeats(remarks, "Job backup-monday", "continue");
    });
});
