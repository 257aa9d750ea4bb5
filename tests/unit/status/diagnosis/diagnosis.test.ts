import * as assert from "node:assert/strict";
import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { ClusterDiagnosis } from "../../../../status/diagnosis/clusterDiagnosis";
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
import { pinnedWords } from "../../../support/pinned";
import { healthy, now, type Seen, statusOf, storeOf, suspended } from "../seenCluster";

const nothing: DiagnosisFacts = { pods: [], certificates: [], unread: [] };
const diagnose = (facts: Partial<DiagnosisFacts>, seenSo: Partial<Seen> = {}, guaranteed = false) =>
    assembleDiagnosis(statusOf(healthy(seenSo)), { ...nothing, ...facts }, guaranteed);
const missing = podOf({
    containerStatuses: [containerOf({ state: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } })],
});
const notReady = { ready: false, trouble: "container tikv (pingcap/tikv:v8.5.3) is in ErrImagePull" };

/** What programs read of the problems. */
const inShort = ({ problems }: ClusterDiagnosis) =>
    problems.map(({ reason, pods, of, needsChange }) => [reason, pods, of, needsChange]);
const lock = { holder: "ben@build", operation: "roll out basic-pd", renewedAt: now };
const evictions = { 11: { pod: "basic-tikv-1", begunAt: now - 42_000, leadersBefore: 500 } };
const leftEvictions: Partial<Seen> = { evicted: [11, 12], observation: { records: { evictions, removals: {} } } };
const slow = [{ storeId: 11, scheduler: "evict-slow-store-scheduler" }];
const twoMissing = { pods: [1, 2].map((ordinal) => factsOf(missing, { name: `basic-tikv-${ordinal}` })) };
const troubled: Partial<Seen> = {
    pods: {
        "basic-tikv-1": notReady,
        "basic-tikv-2": notReady,
        "basic-tidb-0": { ready: false, trouble: "crashes" },
    },
    stores: { "basic-tikv-1": { state: "Down" } },
    podStatus: { "basic-tidb-0": "does not answer" },
};
const withPumps: Partial<Seen> = {
    members: { pd: 3, tikv: 3, tidb: 2, pump: 2 },
    pods: { "basic-pump-0": null, "basic-pump-1": { ready: false, sidecarTrouble: "the sidecar crashes" } },
};
const losing: Partial<Seen> = { claims: { tikv: [claimOf("tikv", 2, { terminating: true })] } };
const expiring = seen({ subject: "CN=TiKV", from: now - 1, to: now + 86_400_000 });
const certificates = [{ secret: "s", pods: ["basic-tikv-0"], certificate: expiring }];
const three = { pd: 3, tikv: 3, tidb: 2 };

const restored: Partial<Seen> = {
    members: { pd: 3, tikv: 3, tiflash: 1 },
    statefulSets: { tikv: null, tiflash: null },
};
const run = "ana@laptop, process 4711 (3f9a1c)";
const what = "scale basic-tikv to 3";
const operation: JournalOperation = {
    ...{ id: "a", what, holder: run, began: now - 70_000, writtenAt: now - 5_000, pods: [] },
    entries: [{ is: "wait", at: now - 60_000, step: "recovery-mode", target: "basic-tikv", why: "claims are missing" }],
};
const flash = {
    ...{ ...operation, id: "b", what: "scale basic-tiflash to 1" },
    entries: [{ ...operation.entries[0], target: "basic-tiflash" }],
} as JournalOperation;
const journal = (...operations: Partial<JournalOperation>[]) =>
    known(
        operations.map((more) => ({ ...operation, ...more })),
        "the journal",
        now,
    );
const approvalWaits = { ana: { digest: "3f9c2a11d0e7", of: what, lets: "all", by: run, since: now, at: now } };
const failed = { outcome: "failed", ended: now, why: "scale: basic-tikv: 3 found. Next: raise it." } as const;
/** What keeps the pods from being created that no StatefulSet asks for yet, and its reason. */
const held: Record<string, [Partial<Seen>, reason: "UpdateWaits" | "UpdateEnded"]> = {
    "the run that is to create them waits": [{ journal: journal({}) }, "UpdateWaits"],
    "a run waits for approval": [{ lease: { approvalWaits } }, "UpdateWaits"],
    "a run holds the lock": [{ lease: { lock } }, "UpdateWaits"],
    "the last operation failed": [{ journal: journal(failed) }, "UpdateEnded"],
};

/** A pod is to leave, whose store PD has removed. */
const leaving: Partial<Seen> = {
    members: { pd: 3, tikv: 2, tidb: 2 },
    statefulSets: { tikv: { replicas: 3 } },
    stores: { "basic-tikv-2": null },
    pods: { "basic-tikv-2": notReady },
    pd: { tombstones: known([{ ...storeOf("tikv", "basic-tikv-2", 2), state: "Tombstone" as const }], "PD", now) },
};
/** A pod is to leave that has a store, and another one does not exist. */
const otherNumbers: Partial<Seen> = {
    members: { pd: 3, tikv: 2, tidb: 2 },
    statefulSets: { tikv: { replicas: 3 }, tidb: { replicas: 1 } },
    pods: { "basic-tikv-2": notReady, "basic-tidb-1": null },
};
const thirdMissing = { pods: [factsOf(missing, { name: "basic-tikv-2" })] };
const unread = { unread: ["basic-tikv-2: no answer"] };

describe("the diagnosis of a cluster", () => {
    const words = (facts: Partial<DiagnosisFacts>, seenSo?: Partial<Seen>) => () =>
        textDiagnosis(diagnose(facts, seenSo));
    pinnedWords("diagnose", {
        "nothing is wrong": words({}),
        "a claim is deleted under a pod that is well": words({}, losing),
        "evictions are left": words({}, leftEvictions),
        "PD evicts a store by itself": words({}, { slow }),
        "several pods have one cause": words(twoMissing, troubled),
        "no check counts the pods": words({}, withPumps),
        "a member is suspended": words({}, suspended(three, "tidb")),
        "every member is suspended": words({}, suspended(three, "pd", "tikv", "tidb")),
        ...Object.fromEntries(
            Object.entries(held).map(([title, [more]]) => [
                `no StatefulSet asks for the pods, and ${title}`,
                words({}, { ...restored, ...more }),
            ]),
        ),
        "no StatefulSet asks for the pods, and each member's run waits": words(
            {},
            { ...restored, journal: journal({}, flash) },
        ),
        "no StatefulSet asks for the pods, and no run is on record": words({}, restored),
        "a pod is to leave whose store PD has removed": words(thirdMissing, leaving),
        "a StatefulSet asks for another number of pods": words(thirdMissing, otherNumbers),
        "a certificate expires": words({ certificates }),
        "a pod is not known": words(unread),
    });

    it("of a healthy one", () => {
        const found = diagnose({});
        assert.deepEqual([found.isWell, found.problems, found.findings, found.notKnown], [true, [], [], []]);
    });

    it("names a claim that somebody has deleted under a pod that is well, once, as what a person must act on", () => {
        const found = diagnose({}, losing);
        assert.deepEqual([found.isWell, found.remarks, found.findings], [false, [], []]);
        assert.deepEqual(inShort(found), [["VolumeBeingDeleted", ["basic-tikv-2"], ["tikv-basic-tikv-2"], true]]);
        for (const command of ["`pd-ctl store delete 12`", "`kubectl delete pod basic-tikv-2`"]) {
            assert.ok(found.problems[0].fix.includes(command), found.problems[0].fix);
        }
    });

    it("notes an eviction that is left, and not one that a run needs", () => {
        assert.equal(diagnose({}, leftEvictions).remarks.length, 2);
        assert.deepEqual(diagnose({}, { ...leftEvictions, lease: { lock } }).remarks, []);
    });

    it("notes a store that PD evicts by itself, also while a run works: its restarts of others wait for that", () => {
        for (const seen of [{ slow }, { slow, lease: { lock } }]) {
            assert.equal(diagnose({}, seen).remarks.length, 1);
        }
    });

    it("says the cause of several pods once, and nothing that the status finds of them", () => {
        const found = diagnose(twoMissing, troubled);
        assert.equal(found.findings.length, 1);
        const both = ["basic-tikv-1", "basic-tikv-2"];
        assert.deepEqual(inShort(found), [["ImageNotFound", both, both, true]]);
        assert.equal(found.problems[0].evidence, "manifest unknown");
    });

    it("names pods that no check counts, and for which nothing shows a cause", () => {
        assert.equal(diagnose({}, withPumps).findings.length, 2);
    });

    it("finds nothing wrong with a member that the program suspends", () => {
        for (const which of [["tidb"], ["pd", "tikv", "tidb"]] as const) {
            const { findings, remarks } = diagnose({}, suspended(three, ...which));
            assert.deepEqual([findings, remarks.length], [[], 1]);
        }
    });

    describe("of pods that no StatefulSet asks for yet", () => {
        const all = ["basic-tiflash-0", "basic-tikv-0", "basic-tikv-1", "basic-tikv-2"];
        for (const [title, [more, reason]] of Object.entries(held)) {
            it(`is ${reason}, if ${title}`, () => {
                const found = diagnose({}, { ...restored, ...more });
                assert.deepEqual(inShort(found), [[reason, all, all, false]]);
                assert.deepEqual([found.findings, found.remarks], [[], []], "nothing is said twice");
            });
        }

        it("is a problem of each member whose own run waits", () => {
            const found = diagnose({}, { ...restored, journal: journal({}, flash) });
            assert.deepEqual(
                found.problems.map(({ pods }) => pods),
                [all.slice(0, 1), all.slice(1)],
            );
        });

        it("explains no pod for which a StatefulSet asks, and is UpdateEnded if no run is on record", () => {
            const gone = diagnose({}, { pods: { "basic-tikv-2": null }, journal: journal({}) });
            assert.deepEqual([gone.problems, gone.findings.length], [[], 1]);
            for (const lease of [{}, { lock: { ...lock, renewedAt: now - 3_600_000 } }]) {
                const found = diagnose({}, { ...restored, lease });
                assert.deepEqual(found.findings, []);
                assert.deepEqual(
                    found.problems.map(({ reason, pods }) => [reason, pods]),
                    [
                        ["UpdateEnded", all.slice(0, 1)],
                        ["UpdateEnded", all.slice(1)],
                    ],
                );
            }
        });
    });

    describe("of a StatefulSet with another number of replicas than the last update asked for", () => {
        it("says so of a pod that is to leave, and sends nobody to the log of a process whose store PD has removed", () => {
            const found = diagnose(thirdMissing, leaving);
            const pods = ["basic-tikv-2"];
            assert.deepEqual([inShort(found), found.findings], [[["UpdateEnded", pods, pods, false]], []]);
        });

        it("says so of a pod that does not exist, and shows what keeps one from being Ready that has a store", () => {
            assert.deepEqual(
                diagnose(thirdMissing, otherNumbers).problems.map(({ reason, pods }) => [reason, pods]),
                [
                    ["ImageNotFound", ["basic-tikv-2"]],
                    ["UpdateEnded", ["basic-tidb-1"]],
                ],
            );
        });
    });

    it("names certificates that expire, by the time of the reading", () => {
        assert.deepEqual(
            diagnose({ certificates }).problems.map(({ reason, pods, of }) => [reason, pods, of]),
            [["CertificateExpires", [], ["s"]]],
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
            ...unread,
            certificates: [{ secret: "s", pods: [], certificate: forbidden }],
        });
        assert.deepEqual(found.notKnown, [
            "basic-tikv-2: no answer",
            "nodes: the API server answered 403",
            "the certificate in Secret s: the API server answered 403",
        ]);
        assert.equal(diagnose(unread).isWell, false);
    });
});
