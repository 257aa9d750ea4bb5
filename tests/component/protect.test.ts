import * as assert from "node:assert/strict";
import { TidbCluster } from "../../components/tidbCluster";
import { patienceMilliseconds, type Registered, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const shortType = ({ type }: Registered): string => type.split(":").at(-1) ?? "";

async function resourcesOf(opts: { protect?: boolean }): Promise<Registered[]> {
    const suspended = { replicas: 1, config: {}, suspendAction: { suspendStatefulSet: true } };
    const tidb = { replicas: 2, config: {}, initializer: { createPassword: true } };
    const spec = { ...basicSpec(), tidb, ticdc: suspended };
    const { resources } = await runProgram(() => new TidbCluster("basic", { spec }, opts));
    return resources;
}

function typesOf(resources: Registered[], protect: boolean | undefined): string[] {
    return [...new Set(resources.filter((one) => one.protect === protect).map(shortType))].sort();
}

describe("component: protect", function () {
    this.timeout(patienceMilliseconds);

    it("covers everything whose deletion costs data or addresses, but no gate and no ConfigMap", async () => {
        const resources = await resourcesOf({ protect: true });
        assert.deepEqual(typesOf(resources, true), [
            "Deployment",
            "Lease",
            "Pd",
            "Role",
            "RoleBinding",
            "Service",
            "ServiceAccount",
            "StatefulSet",
            "Ticdc",
            "Tidb",
            "TidbCluster",
            "Tikv",
        ]);
        assert.deepEqual(typesOf(resources, false), [
            "ClusterGate",
            "ConfigMap",
            "PasswordGate",
            "ReadyGate",
            "RolloutGate",
            "ScaleGate",
            "SuspendGate",
        ]);
        assert.deepEqual(typesOf(resources, undefined), []);
    });

    it("is what the gate of a suspended member refuses, because Pulumi would refuse to delete the StatefulSet", async () => {
        for (const protect of [true, undefined]) {
            const gate = (await resourcesOf({ protect })).find((one) => shortType(one) === "SuspendGate");
            assert.equal(gate?.inputs.isProtected, protect);
        }
    });

    it("covers nothing unless the program sets it", async () => {
        assert.deepEqual(typesOf(await resourcesOf({}), true), []);
        assert.deepEqual(typesOf(await resourcesOf({ protect: false }), true), []);
    });
});
