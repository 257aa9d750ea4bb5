import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords, unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import type { SeenSchedule } from "../../../status/schedules/scheduleStatus";
import { textStatus } from "../../../status/textStatus";
import { textTable } from "../../../status/textTable";
import { claimOf } from "../../support/lifecycle/observations";
import { pinnedWords } from "../../support/pinned";
import {
    approvalWait,
    claimsOf,
    healthy,
    now,
    type Seen,
    statusOf,
    storeOf,
    suspended,
    waitingRun,
} from "./seenCluster";

/** A rollout of TiKV: the highest ordinal is done, the next one's leaders leave. */
const rollout: Partial<Seen> = {
    claims: { pd: claimsOf("pd", "10Gi", "10Gi", "10Gi"), tikv: claimsOf("tikv", "1Ti", "1Ti", "1Ti") },
    pods: {
        "basic-tikv-0": { revision: "tikv-old", image: "pingcap/tikv:v8.5.2" },
        "basic-tikv-1": { revision: "tikv-old", image: "pingcap/tikv:v8.5.2" },
        "basic-tidb-1": { ready: false, trouble: "container tidb (pingcap/tidb:v8.5.3) is in ImagePullBackOff" },
    },
    podStatus: { "basic-tidb-1": "is not Ready" },
    stores: { "basic-tikv-1": { leaderCount: { reported: 231 } } },
    evicted: [11],
    observation: {
        records: {
            evictions: { 11: { pod: "basic-tikv-1", begunAt: now - 42_000, leadersBefore: 500 } },
            removals: {},
        },
    },
    lease: {
        lock: {
            holder: "ana@laptop, process 4711 (3f9a1c)",
            operation: "roll out basic-tikv, waiting: store 11 (basic-tikv-1) still holds 231 leaders",
            acquiredAt: now - 117_000,
            renewedAt: now - 2_000,
        },
    },
};

/** PD and TiKV run the new version, TiDB's template is the earlier one. */
const [newPd, newTikv] = ["pd", "tikv"].map((member) => `pingcap/${member}:v8.5.4`);
const oldTikv = "pingcap/tikv:v8.5.3";
const halfUpgraded: Partial<Seen> = {
    statefulSets: { pd: { image: newPd }, tikv: { image: newTikv } },
    pods: Object.fromEntries(
        [0, 1, 2].flatMap((ordinal) => [
            [`basic-pd-${ordinal}`, { image: newPd }],
            [`basic-tikv-${ordinal}`, { image: newTikv }],
        ]),
    ),
};
const halfSet = {
    evictions: {},
    removals: {},
    settings: {
        tikv: {
            begunAt: now - 60_000,
            keys: { "raftstore.apply-pool-size": { to: 4, before: { most: 2, except: {} } } },
        },
    },
};
const withTiproxy: Partial<Seen> = {
    members: { pd: 3, tiproxy: 1, tikv: 3, tidb: 2 },
    statefulSets: { tiproxy: { image: "pingcap/tiproxy:v1.3.0" } },
};

const textOf = (seen: Partial<Seen>) => textStatus(statusOf(healthy(seen)));
const lock = { holder: "ana@laptop", renewedAt: now };
/** Consents that no run has used; the second one no longer counts. */
const given = {
    [approvalWait.digest]: { by: "ana@laptop", at: now - 60_000 },
    "000000000000": { by: "ben@build", at: now - 8 * 86_400_000 },
};
const schedule = (more: Partial<SeenSchedule>): SeenSchedule => ({
    ...{ name: "nightly", namespace: "tidb", cronJob: "backup-nightly", schedule: "0 2 * * *", timeZone: "Etc/UTC" },
    ...{ isPaused: false, createdAt: now - 3_600_000_000, lastScheduledAt: Date.parse("2026-11-22T02:00:00Z") },
    ...{ lastSucceededAt: Date.parse("2026-11-22T02:10:00Z"), newest: undefined },
    ...more,
});
const forbidden = { known: false, why: "the API server answered", isForbidden: true } as const;
const evicting = (more: object): Partial<Seen> => ({
    observation: {
        records: {
            evictions: { 11: { pod: "basic-tikv-1", begunAt: now, leadersBefore: 500, ...more } },
            removals: {},
        },
    },
});
const failures = { "basic-tidb-0": { uid: "u", counts: true, at: 0, why: "" } };
const withReplacement = { ...noRecords(), failovers: { tidb: { uid: "u", failures } } } as never;
const notStarted = { ready: false, container: known({ is: "not-started" } as const, "the API server", now) };
const longWhy = `PD is unreachable. Asked ${[0, 1, 2].map((one) => `basic-pd-${one}: ECONNREFUSED`).join("; ")}; so it goes on`;

describe("the text of a status", () => {
    it("is in the documentation as it is printed", () => {
        const page = readFileSync(join(__dirname, "../../../docs/status.md"), "utf8");
        assert.ok(page.includes(`\n\`\`\`\n${textOf(rollout)}\`\`\`\n`));
    });

    const situations: Record<string, Partial<Seen>> = {
        "during a rollout": rollout,
        "PD does not answer: the pods are shown, the rest is not known, and why is said": {
            pd: unreachablePd("PD does not answer").pd,
        },
        "PD does not answer, and why takes many words: it is said once": { pd: unreachablePd(longWhy).pd },
        "no stack owns it": { lease: { owner: undefined } },
        "a run has not renewed its lock for longer than it lasts": {
            lease: { lock: { ...lock, operation: "roll out basic-pd", renewedAt: now - 16_000 } },
        },
        "a run was asked to stop": { lease: { lock, stopRequest: { by: "ben@build", of: lock.holder } } },
        "an earlier run was asked to stop": { lease: { lock, stopRequest: { by: "ben@build", of: "eva@laptop" } } },
        "a run waits without the lock, and a Job has not begun": {
            journal: known([waitingRun], "the journal", now),
            jobs: {
                known: true,
                value: [{ name: "backup-first", since: "2026-11-22T17:29:20.000Z", words: "it has not begun" }],
            },
        },
        "runs wait for approval: one whose plan has changed, and one that may have ended": {
            lease: {
                approvalWaits: {
                    1: { ...approvalWait, at: now - 40_000, change: "without restart basic-tikv-0" },
                    2: { ...approvalWait, of: "roll out basic-pd", since: now - 50_000, at: now - 41_000 },
                },
            },
            statefulSets: { tikv: { image: newTikv } },
        },
        "no run waits, and consents are on record": { lease: { approvals: { given, goals: {} } } },
        "a run waits for the plan that has a consent": {
            lease: { approvals: { given, goals: {} }, approvalWaits: { 1: approvalWait } },
        },
        "a run waits for another plan than the one that has a consent": {
            lease: {
                approvals: { given, goals: {} },
                approvalWaits: { 1: { ...approvalWait, digest: "81d0c6f5a2b4" } },
            },
        },
        "the user may not list Jobs and schedules": { jobs: forbidden, schedules: forbidden },
        "Jobs and schedules are not known": {
            jobs: { ...forbidden, isForbidden: false },
            schedules: { ...forbidden, isForbidden: false },
        },
        "backup schedules: one runs, one has not succeeded, one is paused": {
            schedules: {
                known: true,
                value: [
                    schedule({ newest: { job: "backup-nightly-3", is: "running", words: "container backup runs" } }),
                    schedule({ name: "weekly", schedule: "@weekly", lastSucceededAt: 0 }),
                    schedule({ name: "paused", isPaused: true }),
                ],
            },
        },
        "another client evicts a store": { evicted: [12] },
        "PD itself evicts a store, and does not report which others": {
            slow: [{ storeId: 11, scheduler: "evict-slow-store-scheduler" }],
            unreported: ["evict-slow-trend-scheduler"],
        },
        "our eviction is on record, and PD does not list it": evicting({}),
        "our eviction has ended, and PD may still bring it back": evicting({ endedAt: now - 1_000 }),
        "PD was seen to have dropped our eviction": evicting({ isGone: true }),
        "our eviction is on record and PD's list is not known": {
            ...rollout,
            pd: unreachablePd("PD does not answer").pd,
        },
        "stores and members are being removed": {
            observation: {
                records: {
                    evictions: {},
                    removals: {
                        12: { pod: "basic-tikv-2", begunAt: now },
                        "basic-pd-2": { pod: "basic-pd-2", begunAt: now },
                    },
                },
            },
            stores: { "basic-tikv-2": { state: "Offline", regionCount: 812 } },
            lease: { lock: { ...lock, operation: "scale basic-tikv" } },
        },
        "a member is suspended: it misses no pod": suspended({ pd: 3, tikv: 3, tidb: 2 }, "tidb"),
        "a member has no StatefulSet, and the program does not suspend it": { statefulSets: { tidb: null } },
        "PD is suspended, as the program wants: nothing is missed": suspended({ pd: 3, tikv: 3 }, "pd", "tikv"),
        "an upgrade was killed after TiKV": halfUpgraded,
        "an upgrade was stopped after the first pod of TiKV": {
            ...halfUpgraded,
            pods: { ...halfUpgraded.pods, "basic-tikv-0": { image: oldTikv }, "basic-tikv-1": { image: oldTikv } },
        },
        "an upgrade is under way in its last member, whose other pod restarts": {
            lease: { lock },
            pods: { "basic-tidb-0": { image: "pingcap/tidb:v8.5.2", revision: "old" }, "basic-tidb-1": null },
        },
        "an upgrade waits for consent to its first restart": {
            ...halfUpgraded,
            lease: { lock },
            pods: Object.fromEntries(
                ["pd", "tikv"].flatMap((member) =>
                    [0, 1, 2].map((ordinal) => [`basic-${member}-${ordinal}`, { image: `pingcap/${member}:v8.5.3` }]),
                ),
            ),
        },
        "an upgrade is under way after TiKV": { ...halfUpgraded, lease: { lock } },
        "the run of an upgrade died after TiKV": {
            ...halfUpgraded,
            lease: { lock: { ...lock, renewedAt: now - 60_000 } },
        },
        "pods of a member run another build than the tag of their image says": {
            stores: {
                "basic-tikv-0": { version: "8.5.2", startedAt: now },
                "basic-tikv-2": { version: "8.5.2", startedAt: now },
            },
        },
        "a run was killed while it set settings online": { lease: { records: halfSet } },
        "a run is setting settings online: that is no remark": { lease: { records: halfSet, lock } },
        "all members have one version, and TiProxy its own": withTiproxy,
        "a pod is beyond the wanted ones, beside the replacement of a dead one": {
            statefulSets: { tidb: { replicas: 4 } },
            observation: { records: withReplacement },
            lease: { records: withReplacement },
        },
        "no pod of a member has started": {
            statefulSets: { tidb: { image: "pingcap/tidb:v8.5.4" } },
            pods: Object.fromEntries([0, 1].map((ordinal) => [`basic-tidb-${ordinal}`, notStarted])),
        },
        "a member is being scaled in": {
            members: { pd: 3, tikv: 2, tidb: 2 },
            statefulSets: { tikv: { replicas: 3 } },
        },
        "a pod loses its volume once it stops": { claims: { tikv: [claimOf("tikv", 2, { terminating: true })] } },
        "a store has not reported its disk, and another cluster's store shares the PD": {
            stores: { "basic-tikv-0": { capacityBytes: undefined } },
            moreStores: [{ ...storeOf("tikv", "more-tikv-0", 9), own: false }],
        },
        "a PD member was added and never started": {
            pd: { members: known([{ name: "", memberId: "1", healthy: false }], "PD", now) },
        },
        "PD has no store, and a pod is gone": {
            pd: { stores: known([], "PD", now) },
            pods: { "basic-tidb-0": null },
        },
    };
    pinnedWords(
        "status",
        Object.fromEntries(Object.entries(situations).map(([title, seen]) => [title, () => textOf(seen)])),
    );

    it("has no control characters from the cluster: a terminal would obey them", () => {
        const evil = "\u001b[2Jgone\u202e";
        const text = textStatus(
            statusOf(healthy({ lease: { lock: { holder: evil, renewedAt: now }, owner: undefined } })),
        );
        assert.ok(text.includes("by \\u001b[2Jgone\\u202e"), text);
        assert.ok(!text.includes("\u001b"));
    });

    it("is a table whose columns line up, without empty ones", () => {
        assert.deepEqual(
            textTable(
                ["A", "EMPTY", "B"],
                [
                    ["long", "", "1"],
                    ["x", "", ""],
                ],
            ),
            ["A     B", "long  1", "x"],
        );
    });
});
