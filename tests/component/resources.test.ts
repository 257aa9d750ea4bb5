import * as k8s from "@pulumi/kubernetes";
import * as assert from "node:assert/strict";
import { TidbCluster } from "../../components/tidbCluster";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const basic = (): TidbCluster => new TidbCluster("basic", { spec: basicSpec() });
const shortType = (type: string): string => type.split(":").at(-1) ?? "";

describe("component: the resources of a cluster", function () {
    this.timeout(patienceMilliseconds);
    let run: ProgramRun<TidbCluster>;
    before(async () => {
        run = await runProgram(basic);
    });

    it("come after what the cluster depends on", async () => {
        const { resources, find } = await runProgram(() => {
            const secret = new k8s.core.v1.Secret("certificate", { metadata: { name: "certificate" } });
            return new TidbCluster("basic", { spec: basicSpec() }, { dependsOn: [secret] });
        });
        assert.ok(find("Lease", "basic-lease").dependencies.includes("kubernetes:core/v1:Secret::certificate"));
        const lease = "kubernetes:coordination.k8s.io/v1:Lease::basic-lease";
        const early = resources
            .filter(({ type }) => /:(StatefulSet|Deployment|ServiceAccount|\w+Gate)$/.test(type))
            .filter(({ dependencies }) => !dependencies.includes(lease));
        assert.deepEqual(
            early.map(({ name }) => name),
            ["basic-tikv", "basic-tidb"],
            "those come after the gates of the member before",
        );
    });

    it("with operations.rollout.online have a gate before the ConfigMap, which the number of pods waits for too", async () => {
        const operations = { rollout: { online: true } };
        const { find, resources } = await runProgram(() => new TidbCluster("basic", { spec: basicSpec(), operations }));
        const gates = resources.filter(({ type }) => shortType(type) === "SettingsGate").map(({ name }) => name);
        assert.deepEqual(gates.sort(), ["basic-pd-settings", "basic-tidb-settings", "basic-tikv-settings"]);
        const settings = "pulumi-nodejs:tidb:SettingsGate::basic-tikv-settings";
        assert.ok(find("ConfigMap", "basic-tikv").dependencies.includes(settings));
        assert.ok(
            find("ScaleGate", "basic-tikv-scale").dependencies.includes(settings),
            "one gate at a time writes records",
        );
    });

    it("keep the names of TiKV's pods until its gate has seen them stop: Pulumi deletes what comes later first", () => {
        const { dependencies } = run.find("ScaleGate", "basic-tikv-scale");
        assert.ok(dependencies.includes("kubernetes:core/v1:Service::basic-tikv-peer"), dependencies.join());
        const set = run.find("StatefulSet", "basic-tikv").dependencies;
        assert.ok(set.includes("pulumi-nodejs:tidb:ScaleGate::basic-tikv-scale"), set.join());
    });

    it("are these, each under its member", () => {
        const tree = run.resources.map(
            ({ type, name, parent }) => `${parent.split("::")[1] ?? ""} > ${shortType(type)} ${name}`,
        );
        assert.deepEqual(tree.sort(), [
            " > TidbCluster basic",
            "basic > ClusterGate basic-cluster",
            "basic > ConfigMap basic-discovery",
            "basic > Deployment basic-discovery",
            "basic > Lease basic-lease",
            "basic > Pd basic-pd",
            "basic > ReadyGate basic-ready",
            "basic > Role basic-discovery",
            "basic > RoleBinding basic-discovery",
            "basic > Service basic-discovery",
            "basic > ServiceAccount basic-discovery",
            "basic > Tidb basic-tidb",
            "basic > Tikv basic-tikv",
            "basic-pd > ConfigMap basic-pd",
            "basic-pd > RolloutGate basic-pd-rollout",
            "basic-pd > ScaleGate basic-pd-scale",
            "basic-pd > Service basic-pd",
            "basic-pd > Service basic-pd-peer",
            "basic-pd > StatefulSet basic-pd",
            "basic-tidb > ConfigMap basic-tidb",
            "basic-tidb > RolloutGate basic-tidb-rollout",
            "basic-tidb > ScaleGate basic-tidb-scale",
            "basic-tidb > Service basic-tidb",
            "basic-tidb > Service basic-tidb-peer",
            "basic-tidb > StatefulSet basic-tidb",
            "basic-tikv > ConfigMap basic-tikv",
            "basic-tikv > RolloutGate basic-tikv-rollout",
            "basic-tikv > ScaleGate basic-tikv-scale",
            "basic-tikv > Service basic-tikv-peer",
            "basic-tikv > StatefulSet basic-tikv",
        ]);
    });

    it("have types that cannot change without replacing what users have deployed", () => {
        const types = new Set(run.resources.map(({ type }) => type).filter((type) => !type.startsWith("kubernetes:")));
        assert.deepEqual([...types].sort(), [
            "pulumi-nodejs:tidb:ClusterGate",
            "pulumi-nodejs:tidb:ReadyGate",
            "pulumi-nodejs:tidb:RolloutGate",
            "pulumi-nodejs:tidb:ScaleGate",
            "tidb:index:Pd",
            "tidb:index:Tidb",
            "tidb:index:TidbCluster",
            "tidb:index:Tikv",
        ]);
    });

    const waitsFor = (type: string, name: string): string[] =>
        run.find(type, name).dependencies.map((one) => `${shortType(one.split("::")[0])} ${one.split("::")[1]}`);

    it("come in the order Discovery, PD, TiKV, TiDB, the whole cluster", () => {
        const pdScale = waitsFor("ScaleGate", "basic-pd-scale");
        assert.ok(
            pdScale.includes("Deployment basic-discovery") && pdScale.includes("Lease basic-lease"),
            String(pdScale),
        );
        for (const type of ["ScaleGate", "ConfigMap", "StatefulSet"]) {
            const suffix = type === "ScaleGate" ? "-scale" : "";
            assert.ok(waitsFor(type, `basic-tikv${suffix}`).includes("RolloutGate basic-pd-rollout"), `tikv ${type}`);
            assert.ok(waitsFor(type, `basic-tidb${suffix}`).includes("RolloutGate basic-tikv-rollout"), `tidb ${type}`);
        }
        assert.ok(waitsFor("ReadyGate", "basic-ready").includes("RolloutGate basic-tidb-rollout"));
    });

    it("of discovery do not wait for each other, except the RoleBinding for its Role and the Deployment for all", () => {
        const discovery = ["ServiceAccount", "Role", "RoleBinding", "Service", "ConfigMap", "Deployment"];
        const waits = discovery.map((type) => {
            const names = waitsFor(type, "basic-discovery");
            assert.ok(names.includes("ClusterGate basic-cluster"), type);
            const needed = names.filter((name) => name.endsWith(" basic-discovery"));
            return [type, needed.map((name) => name.split(" ")[0]).sort()];
        });
        assert.deepEqual(Object.fromEntries(waits), {
            ServiceAccount: [],
            Role: [],
            RoleBinding: ["Role"],
            Service: [],
            ConfigMap: [],
            Deployment: ["ConfigMap", "Role", "RoleBinding", "Service", "ServiceAccount"],
        });
    });

    for (const member of ["pd", "tikv", "tidb"]) {
        it(`${member}: has its StatefulSet between its gates, after its ConfigMap and Services`, () => {
            const name = `basic-${member}`;
            const { dependencies } = run.find("StatefulSet", name);
            const names = dependencies.map((one) => `${shortType(one.split("::")[0])} ${one.split("::")[1]}`);
            assert.ok(names.includes(`ScaleGate ${name}-scale`));
            assert.ok(names.includes(`ConfigMap ${name}`));
            assert.ok(names.includes(`Service ${name}-peer`));
            const rollout = run.find("RolloutGate", `${name}-rollout`).dependencies;
            assert.ok(rollout.includes(`kubernetes:apps/v1:StatefulSet::${name}`), rollout.join(", "));
        });

        it(`${member}: has a StatefulSet that Pulumi does not wait for, replace or restart`, () => {
            const { inputs, ignoreChanges } = run.find("StatefulSet", `basic-${member}`);
            assert.equal(inputs.metadata.annotations["pulumi.com/skipAwait"], "true");
            assert.deepEqual(inputs.spec.updateStrategy, { type: "OnDelete" });
            assert.deepEqual(ignoreChanges.sort(), [
                "spec.podManagementPolicy",
                "spec.revisionHistoryLimit",
                "spec.selector",
                "spec.serviceName",
                "spec.volumeClaimTemplates",
            ]);
        });
    }

    it("are properties of the component", () => {
        const { value: cluster } = run;
        assert.deepEqual(Object.keys(cluster.members), ["pd", "tikv", "tidb"]);
        assert.ok(k8s.apps.v1.StatefulSet.isInstance(cluster.members.tikv?.statefulSet));
        assert.ok(k8s.coordination.v1.Lease.isInstance(cluster.lease));
        assert.equal(cluster.discovery.length, 6);
    });
});

describe("component: gates", function () {
    this.timeout(patienceMilliseconds);
    it("tell a StatefulSet how many replicas it may have", async () => {
        const { find } = await runProgram(basic, {
            state: (type, inputs) =>
                type.endsWith(":ScaleGate") ? { ...inputs, replicas: 5, plan: ["a step"] } : undefined,
        });
        assert.equal(find("ScaleGate", "basic-tikv-scale").inputs.desiredReplicas, 3);
        assert.equal(find("StatefulSet", "basic-tikv").inputs.spec.replicas, 5);
    });

    it("get the cluster, the Lease's UID as proof, and what they decide from", async () => {
        const { find } = await runProgram(basic);
        const { inputs } = find("RolloutGate", "basic-tikv-rollout");
        assert.equal(inputs.cluster, "basic");
        assert.equal(inputs.namespace, "default");
        assert.equal(inputs.component, "tikv");
        assert.equal(inputs.leaseUid, "uid-of-basic-lease");
        assert.equal(inputs.gate, "rollout");
        assert.equal(inputs.desiredReplicas, 3);
        const template = find("StatefulSet", "basic-tikv").inputs.metadata.annotations[
            "pulumi-tidb.io/template-revision"
        ];
        assert.match(template, /^[0-9a-f]{12}\+[0-9a-f]{12}$/);
        assert.equal(inputs.templateRevision, template);
        assert.equal(
            inputs.tag,
            find("StatefulSet", "basic-tikv").inputs.spec.template.spec.containers[0].image.split(":")[1],
        );
        assert.equal(find("ScaleGate", "basic-tikv-scale").inputs.templateRevision, undefined);
    });

    it("keep only calls into this package in the state", async () => {
        const { resources } = await runProgram(basic);
        const providers = resources.map(({ inputs }) => inputs.__provider).filter((text) => text !== undefined);
        assert.equal(providers.length, 8);
        assert.equal(new Set(providers).size, 1);
        assert.ok(providers[0].includes(`require.resolve("pulumi-tidb/provider/gates"`));
    });
});

describe("component: several and partial clusters", function () {
    this.timeout(patienceMilliseconds);
    it("stay separate if one program has two", async () => {
        const { find, resources } = await runProgram(() => [
            new TidbCluster("one", { metadata: { namespace: "a" }, spec: basicSpec() }),
            new TidbCluster("two", { metadata: { namespace: "b", name: "other" }, spec: basicSpec() }),
        ]);
        const keys = resources.map(({ type, name }) => `${type}::${name}`);
        assert.equal(new Set(keys).size, keys.length, "no resource has the name of another");
        assert.deepEqual(find("StatefulSet", "two-tikv").inputs.metadata.name, "other-tikv");
        assert.equal(find("StatefulSet", "two-tikv").inputs.metadata.namespace, "b");
        assert.equal(find("ScaleGate", "two-tikv-scale").inputs.leaseUid, "uid-of-two-lease");
        const mixed = resources
            .filter(({ name }) => name.startsWith("two"))
            .flatMap(({ dependencies }) => dependencies)
            .filter((one) => one.includes("::one"));
        assert.deepEqual(mixed, []);
    });

    it("are named after their resource, unless their metadata say otherwise", async () => {
        const { find } = await runProgram(() => new TidbCluster("shop", { spec: basicSpec() }));
        assert.equal(find("StatefulSet", "shop-pd").inputs.metadata.name, "shop-pd");
        assert.equal(find("ScaleGate", "shop-pd-scale").inputs.cluster, "shop");
    });

    it("without TiDB have neither its resources nor its endpoint", async () => {
        const { value, resources } = await runProgram(() => {
            const spec = basicSpec();
            delete spec.tidb;
            return new TidbCluster("basic", { spec });
        });
        assert.deepEqual(Object.keys(value.members), ["pd", "tikv"]);
        assert.ok(!resources.some(({ name }) => name.includes("tidb")));
    });

    it("use the cluster of an explicit provider for all resources", async () => {
        const { resources } = await runProgram(() => {
            const provider = new k8s.Provider("elsewhere", { kubeconfig: "~/elsewhere" });
            return new TidbCluster("basic", { spec: basicSpec(), kubeconfig: "~/elsewhere" }, { provider });
        });
        const objects = resources.filter(({ type }) => type.startsWith("kubernetes:"));
        assert.ok(objects.length > 15);
        assert.deepEqual([...new Set(objects.map(({ provider }) => provider))], ["elsewhere"]);
        assert.ok(
            resources
                .filter(({ type }) => type.startsWith("pulumi-nodejs:"))
                .every(({ provider }) => provider === undefined),
        );
    });
});
