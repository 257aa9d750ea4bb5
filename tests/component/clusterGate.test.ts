import * as assert from "node:assert/strict";
import { TidbCluster, type TidbClusterArgs } from "../../components/tidbCluster";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const clusterGate = "pulumi-nodejs:dynamic/tidb:ClusterGate::basic-cluster";

/** TidbCluster `basic` in namespace `tidb`, with this said differently. */
function run(more: Partial<TidbClusterArgs["spec"]> = {}): Promise<ProgramRun<TidbCluster>> {
    const spec = { ...basicSpec(), ...more };
    return runProgram(() => new TidbCluster("basic", { metadata: { namespace: "tidb" }, spec }));
}

const inputsOf = async (more: Partial<TidbClusterArgs["spec"]> = {}) =>
    (await run(more)).find("ClusterGate", "basic-cluster").inputs;

describe("component: the cluster's gate", function () {
    this.timeout(patienceMilliseconds);

    it("is told the members and whose the cluster is: a member that left, or a second stack, would go unnoticed", async () => {
        const inputs = await inputsOf();
        assert.deepEqual(inputs.components, ["pd", "tikv", "tidb"]);
        assert.deepEqual(inputs.memberReplicas, { pd: 3, tikv: 3, tidb: 2 });
        assert.deepEqual(inputs.owner, {
            stack: "organization/project/stack",
            urn: "urn:pulumi:stack::project::tidb:index:TidbCluster::basic",
            name: "basic",
            namespace: "tidb",
        });
        assert.equal(inputs.gate, "cluster");
    });

    it("counts a suspended member as one that the program has: suspending it would take it out of PD", async () => {
        const inputs = await inputsOf({
            tidb: { replicas: 2, config: {}, suspendAction: { suspendStatefulSet: true } },
        });
        assert.deepEqual(inputs.components, ["pd", "tikv", "tidb"]);
    });

    it("comes before every object but the Lease: what it refuses would be half made with `--skip-preview`", async () => {
        const { resources } = await run();
        const dependencies = new Map(resources.map((one) => [`${one.type}::${one.name}`, one.dependencies]));
        const comesAfterGate = (of: string): boolean =>
            of === clusterGate || (dependencies.get(of) ?? []).some((one) => comesAfterGate(one));
        const early = resources
            .filter(({ type }) => type.startsWith("kubernetes:") || type.includes(":dynamic/"))
            .filter(({ type, name }) => !comesAfterGate(`${type}::${name}`));
        assert.deepEqual(
            early.map(({ name }) => name),
            ["basic-lease"],
        );
    });

    it("knows the deployed name from a Lease that is never renamed: records and owner would be lost with it", async () => {
        const { find } = await run();
        assert.deepEqual(find("Lease", "basic-lease").ignoreChanges, ["metadata.name", "metadata.namespace"]);
        assert.deepEqual(find("ClusterGate", "basic-cluster").inputs.deployed, { name: "basic", namespace: "tidb" });
    });

    it("tells the cluster's last gate whose the cluster is: somebody else's would be destroyed", async () => {
        const { find } = await run();
        const { owner } = find("ReadyGate", "basic-ready").inputs;
        assert.deepEqual(owner, find("ClusterGate", "basic-cluster").inputs.owner);
    });

    it("tells gates the domain: a store of equal name in another Kubernetes cluster would be taken for ours", async () => {
        const { resources } = await run({ clusterDomain: "east.example" });
        const gates = resources.filter(({ type }) => type.includes(":dynamic/"));
        assert.deepEqual([...new Set(gates.map(({ inputs }) => inputs.domain))], ["east.example"]);
    });

    it("says that nobody uses Pump once TiDB is told so: Pump would leave under a TiDB that writes to it", async () => {
        const pump = { replicas: 1, requests: { storage: "10Gi" } };
        assert.deepEqual((await inputsOf({ pump })).unused, {});
        const { find } = await run({ pump, tidb: { replicas: 2, config: {}, binlogEnabled: false } });
        const { templateRevision } = find("RolloutGate", "basic-tidb-rollout").inputs;
        assert.deepEqual(find("ClusterGate", "basic-cluster").inputs.unused, {
            pump: { by: "tidb", templateRevision },
        });
    });
});
