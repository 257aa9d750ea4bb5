import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { TidbCluster } from "../../components/tidbCluster";
import type { TidbClusterArgs } from "../../components/tidbClusterArgs";
import type { PrerequisiteInputs } from "../../provider/gates/inputs";
import type { NamespaceMaker } from "../../provider/lifecycle/prerequisites/namespace";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

/** A component that may contain anything. */
class Platform extends pulumi.ComponentResource {
    constructor() {
        super("shop:index:Platform", "platform");
    }
}

function roleBinding(): k8s.rbac.v1.RoleBinding {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "tidb" };
    return new k8s.rbac.v1.RoleBinding("grant", { roleRef });
}

const clusterGate = "pulumi-nodejs:tidb:ClusterGate::basic-cluster";

/** TidbCluster `basic` in namespace `tidb`, with this said differently. */
function run(more: Partial<TidbClusterArgs["spec"]> = {}): Promise<ProgramRun<TidbCluster>> {
    const spec = { ...basicSpec(), ...more };
    return runProgram(() => new TidbCluster("basic", { metadata: { namespace: "tidb" }, spec }));
}

const inputsOf = async (more: Partial<TidbClusterArgs["spec"]> = {}) =>
    (await run(more)).find("ClusterGate", "basic-cluster").inputs;

describe("component: the ClusterGate", function () {
    this.timeout(patienceMilliseconds);

    it("gets the members and the owner of the cluster", async () => {
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

    it("counts a suspended member as part of the program", async () => {
        const inputs = await inputsOf({
            tidb: { replicas: 2, config: {}, suspendAction: { suspendStatefulSet: true } },
        });
        assert.deepEqual(inputs.components, ["pd", "tikv", "tidb"]);
        assert.deepEqual([inputs.suspended, (await inputsOf()).suspended], [["tidb"], undefined]);
    });

    it("comes before every object except the Lease, so a refusal stops an update with `--skip-preview` early", async () => {
        const { resources } = await run();
        const dependencies = new Map(resources.map((one) => [`${one.type}::${one.name}`, one.dependencies]));
        const comesAfterGate = (of: string): boolean =>
            of === clusterGate || (dependencies.get(of) ?? []).some((one) => comesAfterGate(one));
        const early = resources
            .filter(({ type }) => type.startsWith("kubernetes:") || type.startsWith("pulumi-nodejs:"))
            .filter(({ type, name }) => !comesAfterGate(`${type}::${name}`));
        assert.deepEqual(
            early.map(({ name }) => name),
            ["basic-lease"],
        );
    });

    it("gets the deployed name from a Lease that is never renamed", async () => {
        const { find } = await run();
        assert.deepEqual(find("Lease", "basic-lease").ignoreChanges, ["metadata.name", "metadata.namespace"]);
        assert.deepEqual(find("ClusterGate", "basic-cluster").inputs.deployed, { name: "basic", namespace: "tidb" });
    });

    it("gets what an update needs, so that a preview can refuse it", async () => {
        const tidb = { replicas: 2, config: {}, version: "v8.5.4", suspendAction: { suspendStatefulSet: true } };
        const { prerequisites } = await inputsOf({ tidb, tlsCluster: { enabled: true } });
        const shown = Object.fromEntries(
            Object.entries(prerequisites.members as PrerequisiteInputs["members"]).map(
                ([component, { version, versionField, runs }]) => [component, [version, versionField, runs]],
            ),
        );
        assert.deepEqual(shown, {
            pd: ["v8.5.3", "spec.version", true],
            tikv: ["v8.5.3", "spec.version", true],
            tidb: ["v8.5.4", "spec.tidb.version", false],
        });
        assert.deepEqual(prerequisites.claimTemplates, { pd: ["pd"], tikv: ["tikv"], tidb: [] });
        assert.deepEqual(prerequisites.traits, ["tls", "discovery"]);
        assert.deepEqual([prerequisites.sharesUser, prerequisites.allowDowngrade], [true, false]);
        const { prerequisites: other } = await inputsOf({ tidb: { ...tidb, service: { type: "ClusterIP" } } });
        assert.notEqual(other.objects, prerequisites.objects, "a Service alone is a change");
    });

    it("gets what the manifest's warnings put at risk, so that no plan says that no risk was found", async () => {
        const pd = { replicas: 2, requests: { storage: "10Gi" }, config: {} };
        const risksOf = async (more = {}) => (await inputsOf(more)).prerequisites.risks as unknown;
        assert.deepEqual(await risksOf({ pd }), ["2 PD members tolerate the loss of none"]);
        assert.deepEqual(await risksOf(), undefined);
    });

    it("knows whether the Kubernetes provider has the same user, because it cannot check another user's permissions", async () => {
        const sharesUser = async (args: Partial<TidbClusterArgs>, provider?: () => pulumi.ProviderResource) => {
            const { find } = await runProgram(
                () => new TidbCluster("basic", { spec: basicSpec(), ...args }, { provider: provider?.() }),
            );
            return find("ClusterGate", "basic-cluster").inputs.prerequisites.sharesUser as boolean;
        };
        assert.equal(await sharesUser({}), true);
        assert.equal(await sharesUser({ context: "admin" }), false);
        assert.equal(await sharesUser({}, () => new k8s.Provider("other", {})), false);
    });

    for (const [how, expected, program] of [
        ["a name in the program", "nobody", () => [{}]],
        [
            "the name of a Namespace",
            "program",
            (made: () => k8s.core.v1.Namespace) => [{ namespace: made().metadata.name }],
        ],
        [
            "a text with that name in it",
            "program",
            (made) => [{ namespace: pulumi.interpolate`${made().metadata.name}` }],
        ],
        ["a Namespace to wait for", "program", (made) => [{ namespace: "shop" }, { dependsOn: made() }]],
        [
            "several resources to wait for",
            "program",
            (made) => [{ namespace: "shop" }, { dependsOn: [new Platform(), made()] }],
        ],
        ["a Namespace as its parent", "program", (made) => [{ namespace: "shop" }, { parent: made() }]],
        ["a component to wait for", "maybe", () => [{ namespace: "shop" }, { dependsOn: new Platform() }]],
        ["a component as its parent", "maybe", () => [{ namespace: "shop" }, { parent: new Platform() }]],
        [
            "the output of another resource",
            "maybe",
            () => [{ namespace: new k8s.core.v1.ConfigMap("names").metadata.name }],
        ],
        ["its own provider", "maybe", () => [{ namespace: "shop" }, { provider: new k8s.Provider("own", {}) }]],
        ["a list of providers", "maybe", () => [{ namespace: "shop" }, { providers: [new k8s.Provider("own", {})] }]],
        ["a setting of the stack", "nobody", () => [{ namespace: pulumi.output("shop") }]],
        ["a Namespace that it does not wait for", "nobody", (made) => (made(), [{ namespace: "shop" }])],
    ] as [
        string,
        NamespaceMaker,
        (made: () => k8s.core.v1.Namespace) => [{ namespace?: pulumi.Input<string> }, pulumi.ComponentResourceOptions?],
    ][]) {
        it(`knows who may create the namespace of a cluster with ${how}: ${expected}`, async () => {
            const { find } = await runProgram(() => {
                const [metadata, opts] = program(
                    () => new k8s.core.v1.Namespace("shop", { metadata: { name: "shop" } }),
                );
                return new TidbCluster("basic", { metadata, spec: basicSpec() }, opts);
            });
            assert.equal(find("ClusterGate", "basic-cluster").inputs.prerequisites.namespaceMaker, expected);
        });
    }

    for (const [how, mayGrant, program] of [
        ["nothing", false, () => ({})],
        ["a Namespace", false, () => ({ dependsOn: new k8s.core.v1.Namespace("shop") })],
        ["a RoleBinding", true, () => ({ dependsOn: [roleBinding(), new k8s.core.v1.Namespace("shop")] })],
        ["a component", true, () => ({ dependsOn: new Platform() })],
        ["its parent", true, () => ({ parent: new Platform() })],
        ["its provider", true, () => ({ provider: new k8s.Provider("own", {}) })],
    ] as [string, boolean, () => pulumi.ComponentResourceOptions][]) {
        it(`knows whether a cluster that waits for ${how} may be granted permissions first: ${mayGrant}`, async () => {
            const { find } = await runProgram(() => new TidbCluster("basic", { spec: basicSpec() }, program()));
            assert.equal(find("ClusterGate", "basic-cluster").inputs.prerequisites.mayGrant, mayGrant);
        });
    }

    it("gives the last gate the owner of the cluster, so that nobody destroys another's", async () => {
        const { find } = await run();
        const { owner } = find("ReadyGate", "basic-ready").inputs;
        assert.deepEqual(owner, find("ClusterGate", "basic-cluster").inputs.owner);
    });

    it("gives gates the domain, so that they do not confuse stores of two Kubernetes clusters", async () => {
        const { resources } = await run({ clusterDomain: "east.example" });
        const gates = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"));
        assert.deepEqual([...new Set(gates.map(({ inputs }) => inputs.domain))], ["east.example"]);
    });

    it("says that nobody uses Pump only after TiDB has its new template", async () => {
        const pump = { replicas: 1, requests: { storage: "10Gi" } };
        assert.deepEqual((await inputsOf({ pump })).unused, {});
        const { find } = await run({ pump, tidb: { replicas: 2, config: {}, binlogEnabled: false } });
        const { templateRevision } = find("RolloutGate", "basic-tidb-rollout").inputs;
        assert.deepEqual(find("ClusterGate", "basic-cluster").inputs.unused, {
            pump: { by: "tidb", templateRevision },
        });
    });
});
