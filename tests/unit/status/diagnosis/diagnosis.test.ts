import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { DiagnosisFacts } from "../../../../provider/lifecycle/diagnosis/facts";
import { assembleDiagnosis } from "../../../../status/diagnosis/assembleDiagnosis";
import { textDiagnosis } from "../../../../status/diagnosis/textDiagnosis";
import {
    factsOf,
    forbidden,
    podOf,
    seen,
    statusOf as containerOf,
    unscheduled,
} from "../../lifecycle/diagnosis/podFacts";
import { claimOf } from "../../../support/lifecycle/observations";
import { healthy, now, type Seen, statusOf, storeOf, suspended } from "../seenCluster";

const nothing: DiagnosisFacts = { pods: [], certificates: [], unread: [] };
const diagnose = (facts: Partial<DiagnosisFacts>, seenSo: Partial<Seen> = {}, guaranteed = false) =>
    assembleDiagnosis(statusOf(healthy(seenSo)), { ...nothing, ...facts }, guaranteed);
const missing = podOf({
    containerStatuses: [containerOf({ state: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } })],
});
const notReady = { ready: false, trouble: "container tikv (pingcap/tikv:v8.5.3) is in ErrImagePull" };

describe("the diagnosis of a cluster", () => {
    it("of a healthy one", () => {
        const found = diagnose({});
        assert.deepEqual([found.isWell, found.problems, found.findings, found.notKnown], [true, [], [], []]);
        assert.equal(
            textDiagnosis(found),
            "TidbCluster tidb/basic: nothing is wrong\n  read at 2026-11-22T17:30:00.000Z with the context `prod` from `https://k8s.example:6443`\n",
        );
    });

    it("names a claim that somebody has deleted under a pod that is well, once, as what a person must act on", () => {
        const found = diagnose({}, { claims: { tikv: [claimOf("tikv", 2, { terminating: true })] } });
        assert.deepEqual([found.isWell, found.remarks, found.findings], [false, [], []]);
        const [{ fix, cause, ...problem }, ...others] = found.problems;
        assert.deepEqual(others, []);
        assert.deepEqual(problem, {
            reason: "VolumeBeingDeleted",
            pods: ["basic-tikv-2"],
            of: ["tikv-basic-tikv-2"],
            evidence: null,
            needsChange: true,
        });
        assert.match(cause, /^claim tikv-basic-tikv-2 is being deleted, and Kubernetes deletes its volume/);
        assert.match(
            fix,
            /^a claim cannot be undeleted: .*`pd-ctl store delete 12`.*`kubectl delete pod basic-tikv-2`/,
        );
    });

    it("notes an eviction that is left, and not one that a run needs", () => {
        const evictions = { 11: { pod: "basic-tikv-1", begunAt: now - 42_000, leadersBefore: 500 } };
        const left = { evicted: [11, 12], observation: { records: { evictions, removals: {} } } };
        assert.deepEqual(diagnose({}, left).remarks, [
            "eviction of store 11 (basic-tikv-1): in force, begun by pulumi-tidb at 17:29:18Z (42 s ago), 500 leaders left of 500: if no update is under way, the next `pulumi up` or a sweep ends it; a `pulumi up` that its preview refuses does not",
            "eviction of store 12 (basic-tikv-2): in force, begun by somebody else, 500 leaders left",
        ]);
        const lock = { holder: "ana@laptop", operation: "roll out basic-tikv", renewedAt: now };
        assert.deepEqual(diagnose({}, { ...left, lease: { lock } }).remarks, []);
    });

    it("notes a store that PD evicts by itself, also while a run works: its restarts of others wait for that", () => {
        const slow = [{ storeId: 11, scheduler: "evict-slow-store-scheduler" }];
        const lock = { holder: "ana@laptop", operation: "roll out basic-tikv", renewedAt: now };
        for (const seen of [{ slow }, { slow, lease: { lock } }]) {
            assert.deepEqual(diagnose({}, seen).remarks, [
                "eviction of store 11 (basic-tikv-1): in force, begun by PD itself (evict-slow-store-scheduler), 500 leaders left: no other store is restarted until PD ends it. Check that store's disk and network",
            ]);
        }
    });

    it("says the cause of several pods once, and nothing that the status finds of them", () => {
        const pods = [1, 2].map((ordinal) => factsOf(missing, { name: `basic-tikv-${ordinal}` }));
        const troubled = {
            pods: {
                "basic-tikv-1": notReady,
                "basic-tikv-2": notReady,
                "basic-tidb-0": { ready: false, trouble: "crashes" },
            },
            stores: { "basic-tikv-1": { state: "Down" } },
            podStatus: { "basic-tidb-0": "does not answer" },
        };
        const found = diagnose({ pods }, troubled);
        assert.deepEqual(found.findings, ["basic-tidb-0: does not answer"]);
        assert.equal(
            textDiagnosis(found),
            `TidbCluster tidb/basic: 2 problems
  read at 2026-11-22T17:30:00.000Z with the context \`prod\` from \`https://k8s.example:6443\`

basic-tikv-1, basic-tikv-2: the registry does not have image pingcap/tikv:v8.5.3 of container tikv (manifest unknown)
  fix: correct the image or the version of TiKV in the program
  It cannot come right by itself.

basic-tidb-0: does not answer
`,
        );
        assert.deepEqual(found.problems[0], {
            reason: "ImageNotFound",
            pods: ["basic-tikv-1", "basic-tikv-2"],
            of: ["basic-tikv-1", "basic-tikv-2"],
            cause: "the registry does not have image pingcap/tikv:v8.5.3 of container tikv",
            evidence: "manifest unknown",
            fix: "correct the image or the version of TiKV in the program",
            needsChange: true,
        });
    });

    it("names pods that no check counts, and for which nothing shows a cause", () => {
        const found = diagnose(
            {},
            {
                members: { pd: 3, tikv: 3, tidb: 2, pump: 2 },
                pods: { "basic-pump-0": null, "basic-pump-1": { ready: false, sidecarTrouble: "the sidecar crashes" } },
            },
        );
        assert.deepEqual(found.findings, [
            "basic-pump-0 does not exist",
            "basic-pump-1 is not ready: the sidecar crashes",
        ]);
    });

    it("finds nothing wrong with a member that the program suspends", () => {
        const members = { pd: 3, tikv: 3, tidb: 2 };
        const one = diagnose({}, suspended(members, "tidb"));
        assert.deepEqual([one.findings, one.remarks], [[], ["TiDB is suspended"]]);
        const all = diagnose({}, suspended(members, "pd", "tikv", "tidb"));
        assert.deepEqual([all.findings, all.remarks], [[], ["every member is suspended"]]);
    });

    describe("of pods that no StatefulSet asks for yet", () => {
        const members = { pd: 3, tikv: 3, tiflash: 1 };
        const restored: Partial<Seen> = { members, statefulSets: { tikv: null, tiflash: null } };
        const run = "ana@laptop, process 4711 (3f9a1c)";
        const what = "scale basic-tikv to 3";
        const operation: JournalOperation = {
            ...{ id: "a", what, holder: run, began: now - 70_000, writtenAt: now - 5_000, pods: [] },
            entries: [
                {
                    is: "wait",
                    at: now - 60_000,
                    step: "recovery-mode",
                    target: "basic-tikv",
                    why: "claims are missing",
                },
            ],
        };
        const journal = (more: Partial<JournalOperation> = {}) =>
            known([{ ...operation, ...more }], "the journal", now);
        const stop = "to end the run instead: npx pulumi-tidb stop basic --namespace tidb";
        const lock = { holder: "ben@build", operation: "roll out basic-pd", renewedAt: now };
        const approvalWaits = { ana: { digest: "3f9c2a11d0e7", of: what, lets: "all", by: run, since: now, at: now } };
        const failed = { outcome: "failed", ended: now, why: "scale: basic-tikv: 3 found. Next: raise it." } as const;
        const ended = `the last operation, ${what}, failed at 2026-11-22 17:30:00 UTC: scale: basic-tikv: 3 found. Next: raise it`;
        for (const [title, more, cause, fix] of [
            [
                "says what the run that is to create them waits for",
                { journal: journal() },
                `${what} waits for basic-tikv: claims are missing (run by ${run})`,
                `do what it waits for; ${stop}`,
            ],
            [
                "says that a run waits for approval, and the command",
                { lease: { approvalWaits } },
                `${what} waits for approval of 3f9c2a11d0e7: all (run by ${run})`,
                `run \`npx pulumi-tidb approve basic 3f9c2a11d0e7 --namespace tidb\`; ${stop}`,
            ],
            [
                "says what the run does that holds the lock",
                { lease: { lock } },
                "the update has not come that far: roll out basic-pd (run by ben@build)",
                `wait for the run; ${stop}`,
            ],
            [
                "says how the last operation ended, and why",
                { journal: journal(failed) },
                `the StatefulSet does not exist: the update has not come that far, or somebody has deleted it; ${ended}`,
                "run `pulumi up --refresh` again: it goes on, and creates what somebody has deleted. If the operation asks for something, do that first",
            ],
        ] as [string, Partial<Seen>, string, string][]) {
            it(title, () => {
                const found = diagnose({}, { ...restored, ...more });
                const all = ["basic-tiflash-0", "basic-tikv-0", "basic-tikv-1", "basic-tikv-2"];
                assert.deepEqual(
                    found.problems.map((one) => [one.pods, one.cause, one.fix]),
                    [[all, cause, fix]],
                );
                assert.deepEqual([found.findings, found.remarks], [[], []], "nothing is said twice");
            });
        }

        it("says of each member what its own run waits for", () => {
            const own = known(
                [
                    operation,
                    {
                        ...operation,
                        id: "b",
                        what: "scale basic-tiflash to 1",
                        entries: [{ ...operation.entries[0], target: "basic-tiflash" }],
                    },
                ] as JournalOperation[],
                "the journal",
                now,
            );
            const found = diagnose({}, { ...restored, journal: own });
            assert.deepEqual(
                found.problems.map(({ pods, cause }) => [pods.length, cause.split(" waits for ")[0]]),
                [
                    [1, "scale basic-tiflash to 1"],
                    [3, what],
                ],
            );
        });

        it("explains no pod for which a StatefulSet asks, and says what creates one that is not there, if no run is on record", () => {
            assert.deepEqual(diagnose({}, { pods: { "basic-tikv-2": null }, journal: journal() }).findings, [
                "basic-tikv-2 does not exist",
            ]);
            const overdue = { ...lock, renewedAt: now - 3_600_000 };
            for (const seen of [restored, { ...restored, lease: { lock: overdue } }]) {
                const { findings, problems } = diagnose({}, seen);
                assert.deepEqual(
                    [findings, problems.map(({ pods, cause, fix }) => [pods.length, cause, fix])],
                    [
                        [],
                        ["tiflash", "tikv"].map((one, index) => [
                            [1, 3][index],
                            `StatefulSet basic-${one} does not exist, and no update is known to be at work`,
                            "if no `pulumi up` runs, run `pulumi up --refresh`: it creates the StatefulSet, also one that somebody has deleted",
                        ]),
                    ],
                );
            }
        });
    });

    describe("of a StatefulSet with another number of replicas than the last update asked for", () => {
        const fix = (what: string) =>
            `if no \`pulumi up\` runs, look at \`pulumi preview\`, then run \`pulumi up\`: it ${what} what the preview shows`;
        it("says so of a pod that is to leave, and sends nobody to the log of a process whose store PD has removed", () => {
            const removed = { ...storeOf("tikv", "basic-tikv-2", 2), state: "Tombstone" as const };
            const found = diagnose(
                { pods: [factsOf(missing, { name: "basic-tikv-2" })] },
                {
                    members: { pd: 3, tikv: 2, tidb: 2 },
                    statefulSets: { tikv: { replicas: 3 } },
                    stores: { "basic-tikv-2": null },
                    pods: { "basic-tikv-2": notReady },
                    pd: { tombstones: known([removed], "PD", now) },
                },
            );
            assert.deepEqual(
                found.problems.map((one) => [one.pods, one.cause, one.fix]),
                [
                    [
                        ["basic-tikv-2"],
                        "StatefulSet basic-tikv asks for 3 pods, since the last update 2 are wanted, and no update is known to be at work",
                        fix("removes"),
                    ],
                ],
            );
            assert.deepEqual(found.findings, []);
        });

        it("says so of a pod that does not exist, and shows what keeps one from being Ready that has a store", () => {
            const found = diagnose(
                { pods: [factsOf(missing, { name: "basic-tikv-2" })] },
                {
                    members: { pd: 3, tikv: 2, tidb: 2 },
                    statefulSets: { tikv: { replicas: 3 }, tidb: { replicas: 1 } },
                    pods: { "basic-tikv-2": notReady, "basic-tidb-1": null },
                },
            );
            assert.deepEqual(
                found.problems.map((one) => [one.pods, one.reason, one.fix]),
                [
                    [["basic-tikv-2"], "ImageNotFound", "correct the image or the version of TiKV in the program"],
                    [["basic-tidb-1"], "UpdateEnded", fix("starts")],
                ],
            );
        });
    });

    it("names certificates that expire, by the time of the reading", () => {
        const certificate = seen({ subject: "CN=TiKV", from: now - 1, to: now + 86_400_000 });
        const found = diagnose({ certificates: [{ secret: "s", pods: ["basic-tikv-0"], certificate }] });
        assert.deepEqual(found.problems[0].pods, []);
        assert.match(
            textDiagnosis(found),
            /^the certificate in Secret s expires at .* in 1 day; basic-tikv-0 mounts it/m,
        );
    });

    it("names members that are not Guaranteed only if the user asks for it", () => {
        const pods = [factsOf(podOf({ conditions: [{ type: "Ready", status: "True" }] }))];
        assert.deepEqual(diagnose({ pods }).problems, []);
        assert.deepEqual(diagnose({ pods }, {}, true).problems[0].of, ["tikv"]);
    });

    it("is not well while something is not known, and says each thing once", () => {
        const waiting = factsOf(unscheduled("0/3 nodes are available: 3 Insufficient cpu."), { nodes: forbidden });
        const found = diagnose({
            pods: [waiting, { ...waiting, name: "basic-tikv-1" }],
            unread: ["basic-tikv-2: no answer"],
            certificates: [{ secret: "s", pods: [], certificate: forbidden }],
        });
        assert.deepEqual(found.notKnown, [
            "basic-tikv-2: no answer",
            "nodes: the API server answered 403",
            "the certificate in Secret s: the API server answered 403",
        ]);
        const unread = diagnose({ unread: ["basic-tikv-2: no answer"] });
        assert.equal(unread.isWell, false);
        assert.match(textDiagnosis(unread), /nothing is known to be wrong\n[^]*not known: basic-tikv-2: no answer\n$/);
    });
});
