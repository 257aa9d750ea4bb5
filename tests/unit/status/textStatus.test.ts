import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import { textStatus } from "../../../status/textStatus";
import { textTable } from "../../../status/textTable";
import { healthy, now, type Seen, statusOf, storeOf, suspended } from "./seenCluster";

/** A rollout of TiKV: the highest ordinal is done, the next one's leaders leave. */
const rollout: Partial<Seen> = {
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

const lines = (seen: Partial<Seen>) => textStatus(statusOf(healthy(seen))).split("\n");
const lineWith = (seen: Partial<Seen>, start: string) => lines(seen).find((line) => line.trim().startsWith(start));

const duringRollout = `TidbCluster tidb/basic
  not Ready (StatefulSetNotUpToDate): basic-tikv-0 runs an older revision; basic-tikv-1 runs an older revision
  read at 2026-11-22T17:30:00.000Z with the context \`prod\` from \`https://k8s.example:6443\`
  owner: stack acme/shop/prod
  operation: roll out basic-tikv, waiting: store 11 (basic-tikv-1) still holds 231 leaders, by ana@laptop, process 4711 (3f9a1c), since 17:28:03Z (117 s ago)
    - basic-tidb-1 is not Ready: container tidb (pingcap/tidb:v8.5.3) is in ImagePullBackOff
  eviction: store 11 (basic-tikv-1): in force, begun by pulumi-tidb at 17:29:18Z (42 s ago), 231 leaders left of 500
  note: members run different versions: v8.5.3 (PD, TiKV, TiDB), v8.5.2 (TiKV): an update is under way

MEMBER     READY  WANTED          RUNNING            REVISION
PD         3/3    v8.5.3          v8.5.3             3 of 3 on pd-new
TiKV       3/3    v8.5.3          v8.5.2 ×2, v8.5.3  1 of 3 on tikv-new
TiDB       1/2    v8.5.3          v8.5.3             2 of 2 on tidb-new
Discovery  1/1    node:22-alpine                     1 of 1 on the newest

PD MEMBER   HEALTH   LEADER
basic-pd-0  healthy  leader
basic-pd-1  healthy
basic-pd-2  healthy

STORE  POD           ENGINE  STATE  LEADERS  REGIONS  FREE DISK             EVICTED
10     basic-tikv-0  tikv    Up     500      1500     812.0 GiB of 1.0 TiB
11     basic-tikv-1  tikv    Up     231      1500     812.0 GiB of 1.0 TiB  yes
12     basic-tikv-2  tikv    Up     500      1500     812.0 GiB of 1.0 TiB

POD                         NODE    STATE
basic-tikv-0, basic-tikv-1          runs an older revision
basic-tidb-1                node-1  is not Ready: container tidb (pingcap/tidb:v8.5.3) is in ImagePullBackOff
`;

describe("the text of a status", () => {
    it("during a rollout", () => assert.equal(textStatus(statusOf(healthy(rollout))), duringRollout));

    it("is in the documentation as it is printed", () => {
        const page = readFileSync(join(__dirname, "../../../docs/status.md"), "utf8");
        assert.ok(page.includes(`\n\`\`\`\n${duringRollout}\`\`\`\n`));
    });

    it("while PD is silent: the pods are shown, the rest is not known, and why is said", () => {
        const text = textStatus(statusOf(healthy({ pd: unreachablePd("PD does not answer").pd })));
        assert.equal(
            text,
            `TidbCluster tidb/basic
  whether it is Ready is not known (PDUnhealthy): the health of basic-pd-0, basic-pd-1, basic-pd-2 is not known: PD does not answer
  read at 2026-11-22T17:30:00.000Z with the context \`prod\` from \`https://k8s.example:6443\`
  owner: stack acme/shop/prod
  operation: none
  not known: PD's members, PD's leader, the stores, the evictions in force, the health of basic-pd-0, the health of basic-pd-1, 4 more: PD does not answer

MEMBER     READY  WANTED          RUNNING  REVISION
PD         3/3    v8.5.3          v8.5.3   3 of 3 on pd-new
TiKV       3/3    v8.5.3          v8.5.3   3 of 3 on tikv-new
TiDB       2/2    v8.5.3          v8.5.3   2 of 2 on tidb-new
Discovery  1/1    node:22-alpine           1 of 1 on the newest

PD's members: not known: PD does not answer

stores: not known: PD does not answer
`,
        );
    });

    it("while PD is silent: says once why that is, if it takes many words", () => {
        const why = `PD is unreachable. Asked ${[0, 1, 2].map((one) => `basic-pd-${one}: ECONNREFUSED`).join("; ")}; so it goes on`;
        const text = textStatus(statusOf(healthy({ pd: unreachablePd(why).pd })));
        assert.equal(text.split(why).length, 2, text);
        assert.match(text, /^stores: not known: see above$/m);
        assert.match(text, /^PD's members: not known: see above$/m);
    });

    const rows: [title: string, seen: Partial<Seen>, start: string, line: string | undefined][] = [
        ["nobody owns it", { lease: { owner: undefined } }, "owner:", "  owner: no stack is recorded"],
        [
            "a run has not renewed its lock for longer than it lasts",
            { lease: { lock: { holder: "ana@laptop", operation: "roll out basic-pd", renewedAt: now - 16_000 } } },
            "operation:",
            "  operation: last noted: roll out basic-pd, by ana@laptop; its lock was last renewed at 17:29:44Z, so the run may be dead (or its clock differs): the next `pulumi up` takes over and continues",
        ],
        [
            "a run was asked to stop",
            {
                lease: {
                    lock: { holder: "ana@laptop", operation: "roll out basic-pd", renewedAt: now },
                    stopRequest: { by: "ben@build", of: "ana@laptop" },
                },
            },
            "operation:",
            "  operation: roll out basic-pd, by ana@laptop; ben@build asked it to stop at its next safe point",
        ],
        [
            "an earlier run was asked to stop",
            {
                lease: {
                    lock: { holder: "ana@laptop", operation: "roll out basic-pd", renewedAt: now },
                    stopRequest: { by: "ben@build", of: "eva@laptop" },
                },
            },
            "operation:",
            "  operation: roll out basic-pd, by ana@laptop",
        ],
        [
            "somebody else evicts a store",
            { evicted: [12] },
            "eviction:",
            "  eviction: store 12 (basic-tikv-2): in force, begun by somebody else, 500 leaders left",
        ],
        [
            "our eviction has ended, and PD may still bring it back",
            {
                observation: {
                    records: {
                        evictions: {
                            11: { pod: "basic-tikv-1", begunAt: now, leadersBefore: 500, endedAt: now - 1_000 },
                        },
                        removals: {},
                    },
                },
            },
            "eviction:",
            "  eviction: store 11 (basic-tikv-1): not in force, ended by pulumi-tidb at 17:29:59Z, and on record until PD has dropped it for good, 500 leaders now, 500 before",
        ],
        [
            "PD was seen to have dropped our eviction",
            {
                observation: {
                    records: {
                        evictions: { 11: { pod: "basic-tikv-1", begunAt: now, leadersBefore: 500, isGone: true } },
                        removals: {},
                    },
                },
            },
            "eviction:",
            undefined,
        ],
        [
            "our eviction is on record and PD's list is not known",
            {
                ...rollout,
                pd: unreachablePd("PD does not answer").pd,
            },
            "eviction:",
            "  eviction: store 11 (basic-tikv-1): whether it is in force is not known: PD does not answer, begun by pulumi-tidb at 17:29:18Z (42 s ago), an unknown number of leaders left of 500",
        ],
        [
            "a member is suspended",
            suspended({ pd: 3, tikv: 3, tidb: 2 }, "tidb"),
            "TiDB",
            "TiDB       0/2, suspended  -               -        -",
        ],
        [
            "a member has no StatefulSet, and the program does not suspend it",
            { statefulSets: { tidb: null } },
            "TiDB",
            "TiDB       0/2, no StatefulSet  -               -        -",
        ],
        ["a suspended member misses no pod", suspended({ pd: 3, tikv: 3, tidb: 2 }, "tidb"), "POD", undefined],
        [
            "PD is suspended: that is why its stores are not known",
            suspended({ pd: 3, tikv: 3 }, "pd", "tikv"),
            "stores:",
            "stores: not known: PD is suspended",
        ],
        [
            "PD is suspended, as the program wants: nothing is missed",
            suspended({ pd: 3, tikv: 3 }, "pd", "tikv"),
            "not known:",
            undefined,
        ],
        [
            "an upgrade was killed after TiKV",
            halfUpgraded,
            "note:",
            "  note: members run different versions: v8.5.4 (PD, TiKV), v8.5.3 (TiDB): an update has not ended, and `pulumi up` goes on with it; or a run waits before it takes the lock for its next step; or the program gives a member a version of its own; or somebody has changed a StatefulSet: `pulumi preview` shows what is left",
        ],
        [
            "an upgrade was stopped after the first pod of TiKV",
            {
                ...halfUpgraded,
                pods: { ...halfUpgraded.pods, "basic-tikv-0": { image: oldTikv }, "basic-tikv-1": { image: oldTikv } },
            },
            "note:",
            "  note: members run different versions: v8.5.4 (PD, TiKV), v8.5.3 (TiKV, TiDB): an update has not ended, and `pulumi up` goes on with it; or a run waits before it takes the lock for its next step; or the program gives a member a version of its own; or somebody has changed a StatefulSet: `pulumi preview` shows what is left",
        ],
        [
            "an upgrade is under way in its last member, whose other pod restarts",
            {
                lease: { lock: { holder: "ana@laptop", renewedAt: now } },
                pods: { "basic-tidb-0": { image: "pingcap/tidb:v8.5.2", revision: "old" }, "basic-tidb-1": null },
            },
            "note:",
            "  note: members run different versions: v8.5.3 (PD, TiKV), v8.5.2 (TiDB): an update is under way",
        ],
        [
            "an upgrade waits for consent to its first restart",
            {
                ...halfUpgraded,
                lease: { lock: { holder: "ana@laptop", renewedAt: now } },
                pods: Object.fromEntries(
                    ["pd", "tikv"].flatMap((member) =>
                        [0, 1, 2, 3].map((ordinal) => [
                            `basic-${member}-${ordinal}`,
                            { image: `pingcap/${member}:v8.5.3` },
                        ]),
                    ),
                ),
            },
            "note:",
            "  note: members are to run different versions: v8.5.4 (PD, TiKV), v8.5.3 (TiDB), and all run v8.5.3: an update is under way",
        ],
        [
            "an upgrade is under way after TiKV",
            { ...halfUpgraded, lease: { lock: { holder: "ana@laptop", renewedAt: now } } },
            "note:",
            "  note: members run different versions: v8.5.4 (PD, TiKV), v8.5.3 (TiDB): an update is under way",
        ],
        [
            "the run of an upgrade died after TiKV",
            { ...halfUpgraded, lease: { lock: { holder: "ana@laptop", renewedAt: now - 60_000 } } },
            "note:",
            "  note: members run different versions: v8.5.4 (PD, TiKV), v8.5.3 (TiDB): an update has not ended, and `pulumi up` goes on with it; or a run waits before it takes the lock for its next step; or the program gives a member a version of its own; or somebody has changed a StatefulSet: `pulumi preview` shows what is left",
        ],
        [
            "a run was killed while it set settings online",
            { lease: { records: halfSet } },
            "note:",
            "  note: basic-tikv: settings of TiKV were being set online: raftstore.apply-pool-size from 2 to 4, by a run of pulumi-tidb, which began it at 2026-11-22T17:29:00.000Z, and it has not ended: if no update is under way, the next `pulumi up` finishes it, and `npx pulumi-tidb sweep basic --yes --namespace tidb` takes it back",
        ],
        [
            "a run is setting settings online",
            { lease: { records: halfSet, lock: { holder: "ana@laptop", renewedAt: now } } },
            "- settings",
            "    - settings of TiKV are set: raftstore.apply-pool-size from 2 to 4",
        ],
        [
            "a run is setting settings online: that is no remark",
            { lease: { records: halfSet, lock: { holder: "ana@laptop", renewedAt: now } } },
            "note:",
            undefined,
        ],
        ["all members have one version, and TiProxy its own", withTiproxy, "note:", undefined],
        [
            "a member is being scaled in",
            { members: { pd: 3, tikv: 2, tidb: 2 }, statefulSets: { tikv: { replicas: 3 } } },
            "TiKV ",
            "TiKV       3/3, 2 wanted  v8.5.3          v8.5.3   3 of 3 on tikv-new",
        ],
        [
            "a store has not reported its disk",
            { stores: { "basic-tikv-0": { capacityBytes: undefined } } },
            "10 ",
            "10     basic-tikv-0  tikv    Up     500      1500     ?",
        ],
        [
            "another cluster's store shares the PD",
            { moreStores: [{ ...storeOf("tikv", "more-tikv-0", 9), own: false }] },
            "19 ",
            "19     more-tikv-0   tikv    Up     500      1500     812.0 GiB of 1.0 TiB  another",
        ],
        [
            "a PD member was added and never started",
            { pd: { members: known([{ name: "", memberId: "1", healthy: false }], "PD", now) } },
            "(added",
            "(added, never started)  unhealthy  another",
        ],
        ["PD has no store", { pd: { stores: known([], "PD", now) } }, "stores:", "stores: PD lists none"],
        ["a pod is gone", { pods: { "basic-tidb-0": null } }, "basic-tidb-0", "basic-tidb-0  -     does not exist"],
    ];
    for (const [title, seen, start, line] of rows) {
        it(`if ${title}`, () => assert.equal(lineWith(seen, start), line));
    }

    it("shows a removal that is under way with what is left of it", () => {
        const removals = {
            12: { pod: "basic-tikv-2", begunAt: now },
            "basic-pd-2": { pod: "basic-pd-2", begunAt: now },
        };
        const seen: Partial<Seen> = {
            observation: { records: { evictions: {}, removals } },
            stores: { "basic-tikv-2": { state: "Offline", regionCount: 812 } },
            lease: { lock: { holder: "ana@laptop", operation: "scale basic-tikv", renewedAt: now } },
        };
        const text = lines(seen);
        assert.ok(
            text.includes("    - store 12 (basic-tikv-2) is being removed: Offline, 812 regions left"),
            text.join("\n"),
        );
        assert.ok(text.includes("    - basic-pd-2 (basic-pd-2) is being removed from PD"));
    });

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
