import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { prerequisiteInputs } from "../../../components/prerequisiteInputs";
import { renderMembers } from "../../../components/render";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { unknownValue } from "../../../provider/gates/inputs";
import type { Node } from "../../../provider/lifecycle/diagnosis/objects";
import { grantedAccess } from "../../support/gates/grantedAccess";
import { basic } from "../plan/livePlan";
import { changePorts, clusterWorld, deployed, leaseOf, told } from "./clusterWorld";
import { warnedRisks } from "../../../provider/lifecycle/walks/warnedRisks";
import { codesOf, messagesOf, repeats } from "../../support/repeats";
import type { Notice } from "../../../provider/lifecycle/vocabulary/notices";
import { pinnedWords } from "../../support/pinned";

const certificates = ["pd-cluster-secret", "tikv-cluster-secret", "cluster-client-secret"].map((end) => ({
    secretName: `basic-${end}`,
    commonName: `basic-${end.replace("-secret", "")}`,
}));
const asked = {
    members: {},
    objects: "one",
    namespaceMaker: "nobody",
    mayGrant: false,
    sharesUser: true,
    traits: ["tls"],
    certificates,
    allowDowngrade: false,
};

/** Checks the cluster's first gate where these Secrets do not exist. @returns the warnings, and which Secrets were looked for. */
async function checked(
    absent: string[],
    { olds = {}, isHealthy = false, more = {}, failure, nodes }: Partial<Scene> = {},
): Promise<{ warnings: Notice[]; lookedFor: string[][]; failures: unknown; risks: unknown; listed: number }> {
    const lookedFor: string[][] = [];
    let listed = 0;
    const world = clusterWorld({
        live: {},
        lease: leaseOf({ pdClusterId: isHealthy ? "7" : undefined }),
    });
    changePorts(world, () => ({
        access: {
            ...grantedAccess,
            absentSecrets: (names, kind) => {
                if (kind) {
                    return Promise.resolve(names.filter((name) => absent.includes(name)));
                }
                lookedFor.push([...names]);
                return failure ? Promise.reject(failure) : Promise.resolve(absent);
            },
            nodes: () => Promise.resolve((listed++, nodes)),
        },
    }));
    const news = told({ prerequisites: { ...asked, ...more }, ...(more as { top?: object }).top });
    const { failures } = await createClusterGate(world).check(olds, news, true);
    const asks = listed;
    const risks = warnedRisks([await createClusterGate(world).planOf(olds, news)]);
    return { warnings: world.warnings, lookedFor: lookedFor.slice(0, 1), failures, risks, listed: asks };
}

interface Scene {
    olds: Record<string, unknown>;
    isHealthy: boolean;
    more: object;
    failure: Error;
    nodes: Node[];
}

const before = deployed({ prerequisites: asked });

describe("a preview of a cluster with TLS", () => {
    it("warns once for the cluster, with each Secret that does not exist and what creates it", async () => {
        const { warnings, failures, lookedFor, risks } = await checked([
            "basic-pd-cluster-secret",
            "basic-cluster-client-secret",
        ]);
        assert.deepEqual(codesOf(warnings), ["object-missing"]);
        repeats(warnings, "basic-pd-cluster-secret", "basic-cluster-client-secret");
        assert.equal(failures, undefined);
        assert.deepEqual(risks, ["pods that need a missing certificate do not start"]);
        assert.deepEqual((await checked([])).risks, []);
        assert.deepEqual(lookedFor, [certificates.map(({ secretName }) => secretName)]);
    });

    it("says it also if the program may create the Secret in the same update", async () => {
        const { warnings } = await checked(["basic-pd-cluster-secret"], { more: { mayGrant: true } });
        repeats(warnings, "basic-pd-cluster-secret");
    });

    it("says nothing if no Secret is missing, or if it is not known", async () => {
        assert.deepEqual((await checked([])).warnings, []);
        const failure = new KubernetesApiError("answered 503", 503);
        assert.deepEqual((await checked([], { failure })).warnings, []);
    });

    it("looks again while the cluster was never healthy, and after that only if the program changed", async () => {
        const absent = ["basic-pd-cluster-secret"];
        assert.equal((await checked(absent, { olds: before })).warnings.length, 1);
        assert.deepEqual((await checked(absent, { olds: before, isHealthy: true })).lookedFor, []);
        const changed = { olds: before, isHealthy: true, more: { objects: "two" } };
        assert.equal((await checked(absent, changed)).warnings.length, 1);
    });

    it("does not look for Secrets without TLS, of a paused cluster, or while the namespace is not known", async () => {
        for (const more of [
            { certificates: undefined },
            { top: { paused: true } },
            { top: { namespace: unknownValue } },
        ]) {
            assert.deepEqual((await checked(["basic-pd-cluster-secret"], { more })).lookedFor, []);
        }
    });

    it("looks for the Secrets that the manifest requires", () => {
        const names = (spec: Parameters<typeof basic>[0]) => {
            const { manifest } = checkManifest(basic(spec));
            return prerequisiteInputs(renderMembers(manifest), undefined).certificates?.map(
                ({ secretName }) => secretName,
            );
        };
        assert.equal(names({}), undefined);
        assert.deepEqual(names({ tlsCluster: { enabled: true } }), [
            "basic-pd-cluster-secret",
            "basic-tikv-cluster-secret",
            "basic-tidb-cluster-secret",
            "basic-cluster-client-secret",
        ]);
    });
});

describe("a preview of a cluster whose pods need what does not exist", () => {
    const needs = (cpu = 1, name = "nope") => ({
        objects: [
            { name, from: ["--from-literal=…=…"], component: "tidb" },
            { name: "settings", kind: "configMap", from: ["--from-file=a=…"], component: "tidb" },
        ],
        pods: { tidb: { spec: { containers: [{ name: "tidb", resources: { requests: { cpu } } }] } } },
    });
    const more = (of: object, top: object = {}) => ({ certificates: undefined, podNeeds: of, top });
    const nodes = [16, 256].map((cpu) => ({ status: { allocatable: { cpu: String(cpu), memory: "64Gi" } } }));

    it("names each Secret and ConfigMap of the program with its member and the command that makes it", async () => {
        const { warnings, failures, risks } = await checked(["nope", "settings"], { more: more(needs()) });
        assert.deepEqual(codesOf(warnings), ["object-missing"]);
        const of = "kubectl create secret generic nope --namespace tidb --from-literal=…=…";
        repeats(warnings, of, "kubectl create configmap settings --namespace tidb --from-file=a=…");
        assert.deepEqual(
            [failures, risks],
            [undefined, ["pods of TiDB that need a missing Secret or ConfigMap do not start"]],
        );
        assert.deepEqual((await checked([], { more: more(needs()) })).warnings, []);
    });

    it("says that a pod is larger than every node", async () => {
        const { warnings, risks } = await checked([], { nodes, more: more(needs(500)) });
        assert.deepEqual(codesOf(warnings), ["pod-too-large"]);
        repeats(warnings, "TiDB: it requests 500 CPU", "256 (244 short)");
        assert.deepEqual(risks, ["pods of TiDB that are too large do not start"]);
        assert.deepEqual((await checked([], { nodes, more: more(needs(256)) })).warnings, []);
    });

    it("says that none of the nodes takes a pod, and why: cordons, readiness, taints, labels", async () => {
        const place = (spec: object) => {
            const { objects, pods } = needs();
            return more({ objects, pods: { tidb: { spec: { ...pods.tidb.spec, ...spec } } } });
        };
        const [one] = nodes;
        const cordoned = { ...one, spec: { unschedulable: true } };
        const tainted = { ...one, spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } };
        const silent = { status: { ...one.status, conditions: [{ type: "Ready", status: "Unknown" }] } };
        const labelled = { ...one, metadata: { labels: { disk: "ssd" } } };
        const found = async (of: Node[], spec: object = {}) => checked([], { nodes: of, more: place(spec) });
        const { warnings, risks } = await found([cordoned, tainted, silent]);
        assert.deepEqual(codesOf(warnings), ["no-node-takes-pod"]);
        repeats(warnings, "TiDB: of 3 nodes: 1 not Ready, 1 cordoned, 1 closed");
        assert.deepEqual(risks, ["pods of TiDB that no node takes do not start"]);
        assert.equal((await found([labelled], { nodeSelector: { disk: "nvme" } })).warnings.length, 1);
        assert.deepEqual((await found([labelled], { nodeSelector: { disk: "ssd" } })).warnings, []);
        const tolerations = [{ key: "gpu", operator: "Exists" }];
        assert.deepEqual((await found([cordoned, tainted], { tolerations })).warnings, []);
        const onArm = { key: "arch", operator: "In", values: ["arm64"] };
        const nodeAffinity = {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [onArm] }] },
        };
        assert.equal((await found([one], { affinity: { nodeAffinity } })).warnings.length, 1);
        assert.deepEqual((await found([cordoned, one])).warnings, []);
        assert.deepEqual((await found([])).warnings, []);
    });

    const saidOf =
        (...asked: Parameters<typeof checked>) =>
        async () =>
            messagesOf((await checked(...asked)).warnings);
    pinnedWords("missing-for-pods", {
        "two certificates": saidOf(["basic-pd-cluster-secret", "basic-cluster-client-secret"]),
        "one certificate, which the same update may make": saidOf(["basic-pd-cluster-secret"], {
            more: { mayGrant: true },
        }),
        "a Secret and a ConfigMap": saidOf(["nope", "settings"], { more: more(needs()) }),
        "a larger node": saidOf([], { nodes, more: more(needs(500)) }),
        "a node that is open": saidOf([], {
            ...{ nodes: nodes.map((node) => ({ ...node, spec: { unschedulable: true } })), more: more(needs()) },
        }),
    });

    it("says nothing of what is not known: the nodes, or what another resource of the program makes", async () => {
        assert.deepEqual((await checked([], { more: more(needs(500)) })).warnings, []);
        const unknown = { nodes, more: more(needs(1, unknownValue)) };
        assert.deepEqual((await checked(["nope", unknownValue], unknown)).warnings, []);
    });

    it("lists the nodes only if a pod requests something else than at the last update", async () => {
        const olds = deployed({ prerequisites: { ...asked, podNeeds: needs() } });
        const listed = async (of: object, top: object = {}) =>
            (await checked([], { olds, isHealthy: true, more: { ...more(of, top), objects: "two" } })).listed;
        assert.equal(await listed(needs(1, "other")), 0);
        assert.equal(await listed(needs(2)), 1);
        assert.equal(await listed(needs(2), { paused: true }), 0);
        assert.equal(await listed(needs(1, "other"), { memberReplicas: { tidb: 9 } }), 1);
    });

    it("looks for what the manifest names, not for the cluster's own objects, those of a suspended member, or what is optional", () => {
        const named = (spec: Parameters<typeof basic>[0]) => {
            const { manifest } = checkManifest(basic(spec));
            return prerequisiteInputs(renderMembers(manifest), undefined).podNeeds;
        };
        const names = (spec: Parameters<typeof basic>[0]) =>
            named(spec)?.objects.map(({ component, name, kind = "Secret" }) => `${component} ${kind} ${name}`);
        assert.deepEqual(
            names({ tlsCluster: { enabled: true } as never, tikv: { config: { "log-level": "info" } } }),
            [],
        );
        const tidb = {
            envFrom: [{ secretRef: { name: "group" } }, { configMapRef: { name: "settings" } }],
            env: [
                { name: "A", valueFrom: { secretKeyRef: { name: "one", key: "a" } } },
                { name: "B", valueFrom: { configMapKeyRef: { name: "maybe", key: "b", optional: true } } },
            ],
            additionalVolumes: [{ name: "files", configMap: { name: "mounted" } }],
        };
        assert.deepEqual(names({ tidb }), [
            "tidb Secret one",
            "tidb Secret group",
            "tidb configMap settings",
            "tidb configMap mounted",
        ]);
        assert.deepEqual(names({ tidb: { ...tidb, suspendAction: { suspendStatefulSet: true } } }), []);
        const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };
        const tolerations = [{ key: "gpu", operator: "Exists" }];
        const affinity = { nodeAffinity, podAntiAffinity: {} };
        const { spec } = named({ tidb: { nodeSelector: { disk: "ssd" }, tolerations, affinity } } as never)!.pods.tidb!;
        assert.deepEqual(
            [spec?.nodeSelector, spec?.tolerations, spec?.affinity],
            [{ disk: "ssd" }, tolerations, { nodeAffinity }],
        );
        assert.deepEqual(
            named({ tikv: { requests: { storage: "1Gi", cpu: 500 } } as never })?.pods.tikv?.spec?.containers,
            [{ name: "tikv", resources: { requests: { cpu: "500" } } }],
        );
    });
});
