import type { Action } from "../../../provider/lifecycle/vocabulary/move";

const claims = [
    { name: "tikv-basic-tikv-3", uid: "claim-3" },
    { name: "logs-basic-tikv-3", uid: "claim-4" },
];

/** Every action with its key, which identifies a repeated action, and its text for users. */
export const everyAction: [action: Action, key: string, words: string][] = [
    [
        { do: "transfer-leader", to: "basic-pd-1", from: "basic-pd-0" },
        "transfer-leader basic-pd-0",
        "transfer PD's leadership from basic-pd-0 to basic-pd-1",
    ],
    [
        { do: "transfer-leader", to: "basic-pd-1", from: "basic-pd-0", unpauses: 13 },
        "transfer-leader basic-pd-0 13",
        "transfer PD's leadership from basic-pd-0 to basic-pd-1, because PD keeps leaders away from store 13 though its eviction has ended",
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
        "note that PD has let go of the eviction of store 13",
    ],
    [{ do: "forget-eviction", storeId: 13 }, "forget-eviction 13", "forget the finished eviction of store 13"],
    [
        { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "1" },
        "delete-pod uid-3",
        "restart basic-tikv-3",
    ],
    [
        { do: "delete-pod", pod: "basic-tikv-3", uid: "uid-3", resourceVersion: "2", leaders: 9 },
        "delete-pod uid-3",
        "restart basic-tikv-3, which holds 9 leaders",
    ],
    [
        { do: "remove-store", storeId: 13, pod: "basic-tikv-3", regions: 1500 },
        "remove-store 13",
        "take store 13 (basic-tikv-3, 1500 regions) out of the cluster",
    ],
    [
        { do: "bring-store-back", storeId: 13, pod: "basic-tikv-3" },
        "bring-store-back 13",
        "bring store 13 (basic-tikv-3) back Up",
    ],
    [{ do: "forget-removal", of: "13" }, "forget-removal 13", "forget the finished removal of 13"],
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
        "mark tikv-basic-tikv-3, logs-basic-tikv-3 as given up",
    ],
    [{ do: "note-pd", clusterId: "77" }, "note-pd 77", "note PD's cluster id 77"],
    [
        { do: "begin-shutdown", pod: "basic-ticdc-2", uid: "uid-2" },
        "begin-shutdown uid-2",
        "note that the shutdown of basic-ticdc-2 has begun",
    ],
    [
        { do: "resign-owner", pod: "basic-ticdc-2", uid: "uid-2" },
        "resign-owner uid-2",
        "have basic-ticdc-2 give up the ownership of TiCDC",
    ],
    [
        { do: "drain-capture", pod: "basic-ticdc-2", uid: "uid-2", capture: "capture-2" },
        "drain-capture uid-2",
        "have the tables of basic-ticdc-2 moved to other captures",
    ],
    [
        { do: "close-pump", pod: "basic-pump-1", uid: "uid-1", nodeId: "basic-pump-1:8250" },
        "close-pump uid-1",
        "take the pump of basic-pump-1 offline",
    ],
    [
        { do: "delete-claims", claims },
        "delete-claims claim-3 claim-4",
        "delete tikv-basic-tikv-3, logs-basic-tikv-3, given up by an earlier scale-in",
    ],
    [
        { do: "delete-stateful-set", name: "basic-tidb", uid: "set-tidb" },
        "delete-stateful-set set-tidb",
        "delete StatefulSet basic-tidb and its pods",
    ],
    [
        { do: "make-password-secret", secret: "basic-init" },
        "make-password-secret basic-init",
        "make Secret basic-init with a random password",
    ],
    [
        { do: "set-password", secret: "basic-init", pod: "basic-tidb-0", uid: "uid-0" },
        "set-password basic-init",
        "set root's password to that in Secret basic-init, through basic-tidb-0",
    ],
    [
        { do: "note-password", secret: "basic-init", how: "set" },
        "note-password basic-init",
        "note on Secret basic-init that root has its password",
    ],
    [
        { do: "note-password", secret: "basic-init", how: "left-alone" },
        "note-password basic-init",
        "note on Secret basic-init that root has another password",
    ],
];
