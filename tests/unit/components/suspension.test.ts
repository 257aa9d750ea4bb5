import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
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
