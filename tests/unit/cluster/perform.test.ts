import * as assert from "node:assert/strict";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { perform, type Performers } from "../../../provider/cluster/perform";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import type { PdClient } from "../../../provider/pd";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { everyAction } from "../../support/lifecycle/everyAction";

/** Writes down every call of any object, by its path. Like the real ones, it does nothing if its last argument, a check, throws. */
function recording<T = never>(done: string[], path: string): T {
    const get =
        (_target: object, call: string) =>
        async (...given: unknown[]) => {
            await Promise.resolve();
            const check = given.at(-1);
            if (typeof check === "function") {
                check();
            }
            const shown = given.filter((one) => one === null || !["object", "function"].includes(typeof one));
            done.push(`${path}.${call} ${shown.map(String).join(" ")}`.trim());
        };
    return new Proxy({}, { get }) as T;
}

const volume = { name: "pv-2", uid: "v", resourceVersion: "7", reclaimPolicy: "Delete" };

/** A note of the lock itself is written onto the Lease as it was last seen. */
function isOfTheLock(action: Action): boolean {
    return action.do === "note-pd";
}

describe("carrying out an action", () => {
    let done: string[];
    let mayUntil: number;
    beforeEach(() => ([done, mayUntil] = [[], Infinity]));
    const carryOut = (action: Action) => {
        let asserted = 0;
        const performers: Performers = {
            api: { guardedBy: (check) => guarded(recording<KubernetesApi>(done, "api"), check) },
            microservices: recording(done, "microservices"),
            captures: recording(done, "captures"),
            pumps: recording(done, "pumps"),
            rootPassword: recording(done, "rootPassword"),
            settings: recording(done, "settings"),
            tidbUpgrade: recording(done, "tidbUpgrade"),
            tidbLabels: recording(done, "tidbLabels"),
            pd: {
                ask: (call) =>
                    call({ guardedBy: (check) => guarded(recording<PdClient>(done, "pd"), check) } as PdClient),
            },
        };
        /** As the clients: the check comes right before each request that changes something. */
        const guarded = <T extends object>(client: T, check: () => void): T =>
            new Proxy(client, {
                get:
                    (target, name) =>
                    (...given: unknown[]) =>
                        (target as Record<string | symbol, (...all: unknown[]) => unknown>)[name](...given, check),
            });
        const assertMay = () => {
            asserted += 1;
            if (asserted > mayUntil) {
                throw new StaleDecision("the lock is old");
            }
        };
        return perform(action, performers, { namespace: "tidb" }, recording(done, "lock"), assertMay);
    };

    const claims = [{ name: "tikv-basic-tikv-2", uid: "c", resourceVersion: "78" }];
    const rows: [action: Action, ...calls: string[]][] = [
        [
            { do: "delete-pod", pod: "basic-tikv-2", uid: "u", resourceVersion: "77" },
            "api.deletePod tidb basic-tikv-2 u 77",
        ],
        [{ do: "forget-shutdown", pod: "basic-ticdc-2", uid: "u" }, "api.noteShutdown tidb basic-ticdc-2 u null"],
        [{ do: "delete-claims", claims }, "api.deleteClaim tidb tikv-basic-tikv-2 c 78"],
        [
            { do: "release-claims", pod: "basic-tikv-2", claims, storeOrMember: "7" },
            "api.releaseClaim tidb tikv-basic-tikv-2 c 7",
        ],
        [{ do: "keep-claims", claims }, "api.releaseClaim tidb tikv-basic-tikv-2 c null"],
        [{ do: "delete-stateful-set", name: "basic-tikv", uid: "s" }, "api.deleteStatefulSet tidb basic-tikv s"],
        [
            { do: "delete-stateful-set", name: "basic-pd", uid: "s", endsPd: true },
            "lock.endMaintenance",
            "api.deleteStatefulSet tidb basic-pd s",
            "lock.noteEndOfPd",
        ],
        [{ do: "remove-member", member: "basic-pd-3", memberId: "5", pod: "basic-pd-3" }, "pd.deleteMemberById 5"],
        [{ do: "remove-store", storeId: 7, pod: "basic-tikv-2", regions: 1 }, "pd.deleteStore 7"],
        [{ do: "bring-store-back", storeId: 7, pod: "basic-tikv-2" }, "pd.setStoreUp 7"],
        [
            {
                do: "set-store-labels",
                sets: [
                    { storeId: 7, pod: "basic-tikv-2", labels: { zone: "a" } },
                    { storeId: 8, pod: "basic-tikv-3", labels: { zone: "b" } },
                ],
            },
            "pd.setStoreLabels 7",
            "pd.setStoreLabels 8",
        ],
        [
            {
                do: "set-server-labels",
                sets: [
                    { pod: "basic-tidb-0", uid: "a", labels: { zone: "a" } },
                    { pod: "basic-tidb-1", uid: "b", labels: { zone: "b" } },
                ],
            },
            "tidbLabels.set",
            "tidbLabels.set",
        ],
        [{ do: "begin-eviction", storeId: 7, pod: "basic-tikv-2", leaders: 1 }, "pd.beginLeaderEviction 7"],
        [{ do: "end-eviction", storeId: 7, pod: "basic-tikv-2" }, "pd.endLeaderEviction 7"],
        [{ do: "transfer-leader", to: "basic-pd-1", from: "basic-pd-0" }, "pd.transferLeader basic-pd-1"],
        [
            {
                do: "set-settings",
                component: "tikv",
                sets: [{ server: "basic-tikv-2", settings: { a: 1 } }],
                record: { begunAt: 0, keys: {} },
            },
            "settings.set tikv",
        ],
        [{ do: "remove-failed-stores", stores: [4], timeoutSeconds: 60, risk: "" }, "pd.removeFailedStores 60"],
        [{ do: "note-pd", clusterId: "9" }, "lock.notePd 9"],
        [
            { do: "note-version", version: "v8.5.3", claims },
            "api.noteVersion tidb tikv-basic-tikv-2 c v8.5.3 undefined",
        ],
        [
            { do: "note-version", version: "v8.5.3", tls: true, claims },
            "api.noteVersion tidb tikv-basic-tikv-2 c v8.5.3 true",
        ],
        [
            {
                do: "set-reclaim-policy",
                policy: "Retain",
                claims: [{ name: "tikv-basic-tikv-2", uid: "c", volume }],
            },
            "api.setReclaimPolicy Retain",
        ],
    ];
    for (const [action, ...calls] of rows) {
        it(`${action.do}: passes on exactly what was decided`, async () => {
            await carryOut(action);
            assert.deepEqual(done, calls);
        });
        it(`${action.do}: does nothing once the lock is old`, async () => {
            mayUntil = 0;
            await assert.rejects(async () => carryOut(action), StaleDecision);
            assert.deepEqual(done, []);
        });
    }

    const kinds = new Map(everyAction.map(([action]) => [action.do, action]));
    for (const [kind, action] of kinds) {
        if (isOfTheLock(action)) {
            continue;
        }
        it(`${kind}: is not sent if the lock became old during the login or while the connection was made`, async () => {
            // Some only change records, which the run writes itself.
            const isSent = await carryOut(action).then(
                () => done.length > 0,
                () => true,
            );
            [done, mayUntil] = [[], 1];
            await (isSent ? assert.rejects(carryOut(action), StaleDecision) : carryOut(action));
            assert.deepEqual(done, []);
        });
    }
    it("does not end PD if the lock became old while PD's maintenance task was ended", async () => {
        mayUntil = 2;
        await assert.rejects(
            carryOut({ do: "delete-stateful-set", name: "basic-pd", uid: "s", endsPd: true }),
            StaleDecision,
        );
        assert.deepEqual(done, ["lock.endMaintenance"]);
    });
});
