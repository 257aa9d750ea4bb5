import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { gatesOf } from "../../../components/gatesOf";
import { inOrderOfGates } from "../../../components/suspension";
import { objectsOf, type OpenManifest, problemsOf, smallCluster } from "./manifests";

const suspendAction = { suspendStatefulSet: true };
const all = ({ spec }: OpenManifest): void => {
    const storage = { requests: { storage: "1Gi" } };
    Object.assign(spec, {
        tiflash: { replicas: 1, storageClaims: [{ resources: storage }] },
        ticdc: { replicas: 1 },
        tiproxy: { replicas: 1 },
        pump: { replicas: 1, ...storage },
        pdms: [
            { name: "tso", replicas: 1 },
            { name: "scheduling", replicas: 1 },
        ],
    });
    (spec.pd as Record<string, unknown>).mode = "ms";
};
const orderOf = (change: (manifest: OpenManifest) => void): string[] =>
    inOrderOfGates(checkManifest(smallCluster(change)).manifest.spec).map(({ component }) => component);
const namesOf = (change?: (manifest: OpenManifest) => void): string[] => [...objectsOf(smallCluster(change)).keys()];
const setsOf = (change: (manifest: OpenManifest) => void): string[] =>
    namesOf(change).filter((object) => object.startsWith("StatefulSet"));

describe("suspended members", () => {
    it("stop in tidb-operator's order, TiProxy last", () => {
        const order = orderOf((manifest) => {
            all(manifest);
            manifest.spec.suspendAction = suspendAction;
        });
        assert.deepEqual(order, ["tidb", "tiflash", "ticdc", "tikv", "pump", "pd", "tso", "scheduling", "tiproxy"]);
    });

    it("come before members that are rolled out, which keep their order", () => {
        const order = orderOf(({ spec }) => (spec.tidb.suspendAction = suspendAction));
        assert.deepEqual(order, ["tidb", "pd", "tikv"]);
    });

    it("have every object except a StatefulSet", () => {
        assert.deepEqual(
            namesOf(({ spec }) => (spec.suspendAction = suspendAction)),
            namesOf().filter((object) => !object.startsWith("StatefulSet")),
        );
    });

    it("follow the cluster's setting unless the member has its own", () => {
        assert.deepEqual(
            setsOf(({ spec }) => {
                spec.suspendAction = suspendAction;
                spec.pd.suspendAction = { suspendStatefulSet: false };
                spec.tikv.suspendAction = {};
            }),
            ["StatefulSet/shop-pd", "StatefulSet/shop-tikv"],
        );
        assert.deepEqual(
            setsOf(({ spec }) => (spec.tidb.suspendAction = suspendAction)),
            ["StatefulSet/shop-pd", "StatefulSet/shop-tikv"],
        );
    });

    it("give a warning if other members need them", () => {
        const warnings = problemsOf(
            smallCluster(({ spec }) => {
                spec.pd.suspendAction = suspendAction;
                spec.tidb.suspendAction = suspendAction;
            }),
        );
        assert.deepEqual(
            warnings.map(({ severity, message }) => [severity, message]),
            [
                [
                    "warning",
                    "spec.pd.suspendAction.suspendStatefulSet: found true, expected false while running members need pd: tikv",
                ],
            ],
        );
        assert.deepEqual(problemsOf(smallCluster(({ spec }) => (spec.suspendAction = suspendAction))), []);
    });
});

describe("a cluster that is restored from snapshots", () => {
    const restored =
        (change: (manifest: OpenManifest) => void = () => undefined) =>
        (manifest: OpenManifest) => {
            all(manifest);
            manifest.spec.recoveryMode = true;
            change(manifest);
        };
    const gatesOfCluster = (change: (manifest: OpenManifest) => void) =>
        Object.fromEntries(gatesOf(checkManifest(smallCluster(change))).map(({ name, inputs }) => [name, inputs]));

    it("has neither TiDB nor TiCDC, and TiFlash comes after TiKV, which clears the way for it", () => {
        assert.deepEqual(orderOf(restored()), [
            ...["tidb", "ticdc", "tso", "scheduling", "pd", "tiproxy", "tikv", "pump", "tiflash"],
        ]);
        const sets = setsOf(restored());
        assert.ok(!sets.some((name) => /-(tidb|ticdc)$/.test(name)), sets.join());
        assert.ok(sets.includes("StatefulSet/shop-tikv") && sets.includes("StatefulSet/shop-tiflash"));
    });

    it("keeps TiDB away although its own suspendAction says that it runs", () => {
        const sets = setsOf(restored(({ spec }) => (spec.tidb.suspendAction = { suspendStatefulSet: false })));
        assert.ok(!sets.includes("StatefulSet/shop-tidb"));
    });

    it("tells the gates to which it matters, and no other", () => {
        const marked = Object.entries(gatesOfCluster(restored()))
            .filter(([, { recoveryMode }]) => recoveryMode !== undefined)
            .map(([name]) => name);
        assert.deepEqual(marked, ["tidb-suspend", "ticdc-suspend", "tikv-scale", "tiflash-scale"]);
        assert.ok(Object.values(gatesOfCluster(all)).every((inputs) => !("recoveryMode" in inputs)));
    });

    it("does not refuse a TiDB that is suspended by the program: taking it down is asked for", () => {
        const gates = gatesOfCluster(restored(({ spec }) => (spec.tidb.suspendAction = suspendAction)));
        assert.equal(gates["tidb-suspend"].recoveryMode, undefined);
    });

    it("replaces no dead store: a replacement would start empty", () => {
        const budget = (change: (manifest: OpenManifest) => void) =>
            (gatesOfCluster(change)["tikv-scale"].failover as { budget: number }).budget;
        assert.deepEqual([budget(restored()), budget(all)], [0, 3]);
    });

    it("marks the pods of TiKV alone, so they restart when it is over, and others do not", () => {
        const annotated = (change: (manifest: OpenManifest) => void) =>
            [...objectsOf(smallCluster(change)).entries()]
                .filter(([, object]) => JSON.stringify(object).includes("pulumi-tidb.io/recovery-mode"))
                .map(([name]) => name);
        assert.deepEqual(annotated(restored()), ["StatefulSet/shop-tikv"]);
        assert.deepEqual(annotated(all), []);
    });
});
