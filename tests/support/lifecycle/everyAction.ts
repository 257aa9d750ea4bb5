import type { Action } from "../../../provider/lifecycle/vocabulary/actions";

const claims = [
    { name: "tikv-basic-tikv-3", uid: "claim-3", resourceVersion: "1" },
    { name: "logs-basic-tikv-3", uid: "claim-4", resourceVersion: "1" },
];
const volume = { name: "pv-3", uid: "v", resourceVersion: "1", reclaimPolicy: "Delete" };

/** Each action with its key and the text that the user reads. */
export const everyAction: [action: Action, key: string, words: string][] = [
    [
        { do: "transfer-leader", to: "basic-pd-1", from: "basic-pd-0" },
        "transfer-leader basic-pd-0",
        "transfer PD's leadership from basic-pd-0 to basic-pd-1",
    ],
    [
        { do: "transfer-leader", to: "basic-pd-1", from: "basic-pd-0", unpauses: [13] },
        "transfer-leader basic-pd-0 13",
        "transfer PD's leadership from basic-pd-0 to basic-pd-1, because PD still keeps leaders away from store 13 although its eviction has ended",
    ],
    [
        {
            do: "transfer-primary",
            service: "tso",
            to: "basic-tso-1",
            from: { name: "basic-tso-0", uid: "uid-0" },
        },
        "transfer-primary uid-0",
        "transfer the primary of tso from basic-tso-0 to basic-tso-1",
    ],
    [
        { do: "set-replicas", from: { name: "basic-tikv", uid: "uid-sts", replicas: 3 }, replicas: 4 },
        "set-replicas uid-sts 4",
        "scale StatefulSet basic-tikv from 3 to 4",
    ],
    [
        { do: "give-replicas-back", from: { name: "basic-tikv", uid: "uid-sts", replicas: 4 } },
        "give-replicas-back uid-sts",
        "give the number of replicas of StatefulSet basic-tikv back to Pulumi's field manager",
    ],
    [
        { do: "begin-eviction", storeId: 13, pod: "basic-tikv-3", leaders: 500 },
        "begin-eviction 13",
        "evict 500 leaders from store 13 (basic-tikv-3)",
    ],
    [
        { do: "end-eviction", storeId: 13, pod: "basic-tikv-3", under: "7" },
        "end-eviction 13",
        "end the eviction of store 13 (basic-tikv-3)",
    ],
    [
        { do: "note-eviction-gone", storeId: 13 },
        "note-eviction-gone 13",
        "record that PD has dropped the eviction of store 13",
    ],
    [
        { do: "forget-eviction", storeId: 13 },
        "forget-eviction 13",
        "delete the record of the finished eviction of store 13",
    ],
    [
        { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" },
        "delete-pod uid-3",
        "restart basic-tikv-3",
    ],
    [
        { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "2", leaders: 1 },
        "delete-pod uid-3",
        "restart basic-tikv-3, which holds 1 leader",
    ],
    [
        { do: "remove-store", storeId: 13, pod: "basic-tikv-3", regions: 1500 },
        "remove-store 13",
        "remove store 13 (basic-tikv-3, 1500 regions) from the cluster",
    ],
    [
        { do: "bring-store-back", storeId: 13, pod: "basic-tikv-3" },
        "bring-store-back 13",
        "set store 13 (basic-tikv-3) Up again",
    ],
    [
        { do: "set-store-labels", sets: [{ storeId: 13, pod: "basic-tikv-3", labels: { zone: "a", host: "h" } }] },
        'set-store-labels [{"storeId":13,"pod":"basic-tikv-3","labels":{"zone":"a","host":"h"}}]',
        "set labels in PD: zone = a, host = h of store 13 (basic-tikv-3)",
    ],
    [
        {
            do: "set-store-labels",
            sets: [1, 2, 3, 4].map((storeId) => ({ storeId, pod: `basic-tikv-${storeId}`, labels: {} })),
        },
        `set-store-labels [${[1, 2, 3, 4].map((id) => `{"storeId":${id},"pod":"basic-tikv-${id}","labels":{}}`).join()}]`,
        "set labels in PD: of 4 stores, from their nodes",
    ],
    [
        { do: "set-server-labels", sets: [{ pod: "basic-tidb-1", uid: "u", labels: { zone: "a" } }] },
        'set-server-labels [{"pod":"basic-tidb-1","uid":"u","labels":{"zone":"a"}}]',
        "set labels of TiDB: zone = a of basic-tidb-1",
    ],
    [{ do: "forget-removal", of: "13" }, "forget-removal 13", "delete the record of the finished removal of 13"],
    [
        { do: "remove-member", member: "basic-pd-3", memberId: "103", pod: "basic-pd-3" },
        "remove-member 103",
        "remove PD member basic-pd-3",
    ],
    [
        { do: "remove-member", member: "", memberId: "103", pod: "basic-pd-3" },
        "remove-member 103",
        "remove the PD member of basic-pd-3 that never started (id 103)",
    ],
    [
        { do: "release-claims", pod: "basic-tikv-3", claims },
        "release-claims claim-3 claim-4",
        "mark tikv-basic-tikv-3, logs-basic-tikv-3 as released",
    ],
    [
        { do: "keep-claims", claims },
        "keep-claims claim-3 claim-4",
        "mark tikv-basic-tikv-3, logs-basic-tikv-3 as kept: no longer released",
    ],
    [
        { do: "set-reclaim-policy", policy: "Retain", claims: claims.map((claim) => ({ ...claim, volume })) },
        "set-reclaim-policy Retain claim-3 claim-4",
        "set reclaim policy Retain on 2 volumes (tikv-basic-tikv-3, logs-basic-tikv-3)",
    ],
    [
        {
            do: "set-reclaim-policy",
            policy: "Delete",
            claims: [...claims, ...claims].map((claim) => ({ ...claim, volume })),
        },
        "set-reclaim-policy Delete claim-3 claim-4 claim-3 claim-4",
        "set reclaim policy Delete on 4 volumes",
    ],
    [{ do: "note-pd", clusterId: "77" }, "note-pd 77", "record PD's cluster id 77"],
    [
        { do: "note-version", version: "v8.5.3", claims },
        "note-version v8.5.3 claim-3 claim-4",
        "record v8.5.3 on tikv-basic-tikv-3, logs-basic-tikv-3",
    ],
    [
        { do: "begin-shutdown", pod: "basic-ticdc-2", uid: "uid-2" },
        "begin-shutdown uid-2",
        "record that the shutdown of basic-ticdc-2 has begun",
    ],
    [
        { do: "forget-shutdown", pod: "basic-ticdc-2", uid: "uid-2" },
        "forget-shutdown uid-2",
        "delete the record that the shutdown of basic-ticdc-2 has begun",
    ],
    [
        { do: "resign-owner", pod: "basic-ticdc-2", uid: "uid-2" },
        "resign-owner uid-2",
        "move the ownership of TiCDC away from basic-ticdc-2",
    ],
    [
        { do: "drain-capture", pod: "basic-ticdc-2", uid: "uid-2", capture: "capture-2" },
        "drain-capture uid-2",
        "move the tables of basic-ticdc-2 to other captures",
    ],
    [
        { do: "close-pump", pod: "basic-pump-1", uid: "uid-1", nodeId: "basic-pump-1:8250" },
        "close-pump uid-1",
        "take the pump of basic-pump-1 offline",
    ],
    [
        { do: "delete-claims", claims },
        "delete-claims claim-3 claim-4",
        "delete tikv-basic-tikv-3, logs-basic-tikv-3, released by an earlier scale-in",
    ],
    [
        { do: "delete-stateful-set", name: "basic-tidb", uid: "set-tidb" },
        "delete-stateful-set set-tidb",
        "delete StatefulSet basic-tidb and its pods",
    ],
    [
        { do: "make-password-secret", secret: "basic-init" },
        "make-password-secret basic-init",
        "create Secret basic-init with a random password",
    ],
    [
        { do: "set-password", secret: "basic-init", pod: "basic-tidb-0", uid: "uid-0" },
        "set-password basic-init",
        "set root's password to the one in Secret basic-init, through basic-tidb-0",
    ],
    [
        { do: "note-password", secret: "basic-init", how: "set" },
        "note-password basic-init",
        "record on Secret basic-init that root has this password",
    ],
    [
        { do: "note-password", secret: "basic-init", how: "left-alone" },
        "note-password basic-init",
        "record on Secret basic-init that root has a different password",
    ],
    [
        {
            do: "set-settings",
            component: "tikv",
            sets: [
                { server: "basic-tikv-0", uid: "uid-0", settings: { "log.level": "warn" } },
                { server: "basic-tikv-1", uid: "uid-1", settings: { "log.level": "warn" } },
            ],
            record: { begunAt: 0, keys: { "log.level": { to: "warn", before: { most: "info", except: {} } } } },
        },
        "set-settings tikv log.level = warn on basic-tikv-0, basic-tikv-1",
        "set log.level = warn on basic-tikv-0, basic-tikv-1",
    ],
    [
        {
            do: "raise-limits",
            pod: "basic-tikv-3",
            changes: { "leader-schedule-limit": { from: 4, to: 64 }, batch: { from: 3, to: 10 } },
            record: { begunAt: 0, pod: "basic-tikv-3", limits: {} },
        },
        "raise-limits basic-tikv-3 leader-schedule-limit,batch",
        "raise PD's leader-schedule-limit from 4 to 64 and the evict-leader scheduler's batch from 3 to 10 while leaders of basic-tikv-3 move",
    ],
    [
        { do: "put-back-limits", changes: { "leader-schedule-limit": { from: 64, to: 4 } } },
        "put-back-limits leader-schedule-limit 4",
        "put back PD's leader-schedule-limit from 64 to 4",
    ],
    [
        { do: "begin-batch", component: "tikv", stores: { "basic-tikv-3": 13, "basic-tikv-1": 11 } },
        "begin-batch basic-tikv-3 basic-tikv-1",
        "begin a batch: restart basic-tikv-3, basic-tikv-1 side by side",
    ],
    [
        { do: "forget-batch", component: "tikv", pods: ["basic-tikv-3", "basic-tikv-1"] },
        "forget-batch basic-tikv-3 basic-tikv-1",
        "delete the record of the batch of basic-tikv-3, basic-tikv-1",
    ],
    [{ do: "forget-limits" }, "forget-limits ", "delete the record of raised limits of PD"],
    [
        { do: "forget-settings", component: "tikv" },
        "forget-settings tikv",
        "delete the record of the settings of tikv that were changed",
    ],
    [
        { do: "remove-member", member: "basic-pd-1", memberId: "101", pod: "basic-pd-1", isDead: true },
        "remove-member 101",
        "remove PD member basic-pd-1 (id 101) of basic-pd-1, which failed",
    ],
    [
        { do: "delete-pod", pod: "basic-pd-1", uid: "uid-1", resourceVersion: "1", isDead: true },
        "delete-pod uid-1",
        "delete basic-pd-1, whose PD member failed",
    ],
    [
        {
            do: "delete-claims",
            claims: [{ name: "pd-basic-pd-1", uid: "claim-1", resourceVersion: "1" }],
            ofDead: "basic-pd-1",
        },
        "delete-claims claim-1",
        "delete pd-basic-pd-1, of the failed basic-pd-1",
    ],
    [
        {
            do: "note-failure",
            component: "tikv",
            pod: "basic-tikv-1",
            failure: { podUid: "uid-1", claims: [], storeId: 11, replacedBy: "basic-tikv-4", at: 0, counts: true },
        },
        "note-failure basic-tikv-1 uid-1",
        "record that basic-tikv-1 is dead and that basic-tikv-4 replaces it",
    ],
    [
        { do: "count-replacement", component: "pd", pod: "basic-pd-1" },
        "count-replacement basic-pd-1",
        "record that the replacement of basic-pd-1 may start",
    ],
    [
        { do: "forget-failures", component: "tikv", pods: ["basic-tikv-1", "basic-tikv-2"] },
        "forget-failures basic-tikv-1 basic-tikv-2",
        "delete the record of the failure of basic-tikv-1, basic-tikv-2",
    ],
    [
        {
            do: "note-lost-volumes",
            pod: "basic-tikv-1",
            lost: { component: "tikv", node: "node-1", podUid: "uid-1", claims: [], storeId: 11, at: 0 },
        },
        "note-lost-volumes basic-tikv-1 uid-1",
        "record that the volumes of basic-tikv-1 on node node-1, which is gone, are given up",
    ],
    [
        { do: "forget-lost-volumes", pod: "basic-tikv-1" },
        "forget-lost-volumes basic-tikv-1",
        "delete the record that volumes of basic-tikv-1 are given up",
    ],
    [
        { do: "delete-pod", pod: "basic-tikv-1", uid: "uid-1", resourceVersion: "1", lost: "node-1" },
        "delete-pod uid-1",
        "delete basic-tikv-1, whose volumes are gone with node node-1",
    ],
    [
        { do: "remove-failed-stores", stores: [11, 12], timeoutSeconds: 600, risk: "1 region" },
        "remove-failed-stores 11 12",
        "begin PD's unsafe recovery from the loss of stores 11, 12",
    ],
    [
        { do: "forget-recovery", stores: [11, 12] },
        "forget-recovery 11 12",
        "delete the record that an unsafe recovery from the loss of stores 11, 12 was begun: PD has given it up",
    ],
    [
        { do: "note-recovery-finished", stores: [11], report: "no newly created empty regions" },
        "note-recovery-finished 11",
        "record that PD's unsafe recovery from the loss of store 11 has finished (no newly created empty regions)",
    ],
];
