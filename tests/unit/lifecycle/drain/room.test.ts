import * as assert from "node:assert/strict";
import { drainSign } from "../../../../provider/lifecycle/drain/drainSigns";
import { roomFor, type Surroundings } from "../../../../provider/lifecycle/drain/room";
import type {
    Claim,
    Node,
    Pod,
    PodSpec,
    TopologySpread,
    Volume,
} from "../../../../provider/lifecycle/diagnosis/objects";
import { repeats } from "../../../support/repeats";

const taint = (key: string, effect = "NoSchedule") => ({ spec: { taints: [{ key, effect }] } });

describe("a node is being emptied", () => {
    // kubectl, cluster-autoscaler, Karpenter, aws-node-termination-handler, GKE: the taints that they document.
    const signs: [what: string, node: Node, words: string | undefined][] = [
        ["nothing is wrong", {}, undefined],
        ["kubectl cordon", { spec: { unschedulable: true } }, "is cordoned"],
        ["kubectl cordon, as its taint says", taint("node.kubernetes.io/unschedulable"), "is cordoned"],
        [
            "the cluster autoscaler scales down",
            taint("ToBeDeletedByClusterAutoscaler"),
            "is being removed by the cluster autoscaler",
        ],
        [
            "the cluster autoscaler only considers it",
            taint("DeletionCandidateOfClusterAutoscaler", "PreferNoSchedule"),
            undefined,
        ],
        ["Karpenter 1.0", taint("karpenter.sh/disrupted"), "is being removed by Karpenter"],
        ["Karpenter before 1.0", taint("karpenter.sh/disruption"), "is being removed by Karpenter"],
        ["a spot instance ends", taint("aws-node-termination-handler/spot-itn"), "is about to be stopped by AWS"],
        [
            "a node of GKE ends",
            taint("cloud.google.com/impending-node-termination"),
            "is about to be stopped by Google Cloud",
        ],
        ["a node that does not answer", taint("node.kubernetes.io/unreachable", "NoExecute"), undefined],
        ["a node for others", taint("dedicated"), undefined],
    ];
    for (const [what, node, words] of signs) {
        it(`${what}: ${words ?? "no"}`, () => assert.equal(drainSign(node), words));
    }
    it("says the reason that is more than a cordon", () => {
        const taints = ["karpenter.sh/disrupted", "node.kubernetes.io/unschedulable"];
        const node = { spec: { taints: taints.map((key) => ({ key, effect: "NoSchedule" })), unschedulable: true } };
        assert.equal(drainSign(node), "is being removed by Karpenter");
    });
});

const node = (
    name: string,
    more: { labels?: Record<string, string>; cpu?: string; ready?: string } & Node = {},
): Node => ({
    metadata: { name, labels: { "kubernetes.io/hostname": name, zone: "a", ...more.labels } },
    spec: more.spec,
    status: {
        allocatable: { cpu: more.cpu ?? "4", memory: "16Gi", pods: "110" },
        conditions: [{ type: "Ready", status: more.ready ?? "True" }],
    },
});
const cordoned = { spec: { unschedulable: true } };
const pod = (name: string, nodeName: string, spec: Partial<PodSpec> = {}): Pod => ({
    metadata: { name, uid: name, namespace: "tidb", labels: { app: "tikv" } },
    spec: { nodeName, containers: [{ name: "tikv", resources: { requests: { cpu: "2" } } }], ...spec },
});
const room = (own: Pod, more: Partial<Surroundings> = {}) => {
    const { nodes = [node("n1", cordoned), node("n2"), node("n3")], pods = [own], claims = {}, volumes = [] } = more;
    return roomFor(own, { nodes, pods, claims, volumes });
};
const own = (spec: Partial<PodSpec> = {}) => pod("tikv-1", "n1", spec);
const spreadBy = (topologyKey: string, more: Partial<TopologySpread> = {}): TopologySpread => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { app: "tikv" } },
    ...more,
});
const hostname = "kubernetes.io/hostname";
const affinityTo = (key: string, ...values: string[]) => ({
    nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }],
});
const volume = (spec: NonNullable<Volume["spec"]>): Volume => ({ metadata: { name: "pv-1" }, spec });
const claimed = (spec: NonNullable<Volume["spec"]>): Partial<Surroundings> => ({
    claims: { data: { spec: { volumeName: "pv-1" } } satisfies Claim },
    volumes: [volume(spec)],
});

describe("another node takes a pod", () => {
    const free: Record<string, [Pod, Partial<Surroundings>?]> = {
        "with room for it": [own()],
        "and its volume is on the network": [own(), claimed({})],
        "and its volume is in the zone of another node": [
            own(),
            claimed({ nodeAffinity: { required: affinityTo("zone", "a") } }),
        ],
        "and its claim has no volume yet": [own(), { claims: { data: { spec: {} } } }],
        "whose taint it tolerates": [
            own({ tolerations: [{ key: "dedicated", operator: "Exists" }] }),
            { nodes: [node("n1", cordoned), node("n2", taint("dedicated"))] },
        ],
        "where the same port of another protocol is taken": [
            own({ containers: [{ name: "tikv", ports: [{ hostPort: 53 }] }] }),
            {
                nodes: [node("n1", cordoned), node("n2")],
                pods: [
                    own(),
                    pod("dns-0", "n2", { containers: [{ name: "dns", ports: [{ hostPort: 53, protocol: "UDP" }] }] }),
                ],
            },
        ],
        "whose taint only asks to stay away": [
            own(),
            { nodes: [node("n1", cordoned), node("n2", taint("x", "PreferNoSchedule"))] },
        ],
        "and its spread counts tainted nodes out": [
            own({ topologySpreadConstraints: [spreadBy(hostname, { nodeTaintsPolicy: "Honor" })] }),
            {
                nodes: [
                    node("n1", { spec: { taints: [{ key: "x", effect: "NoSchedule" }], unschedulable: true } }),
                    node("n2"),
                ],
            },
        ],
        "and a spread that is only wished for would be broken": [
            own({ topologySpreadConstraints: [spreadBy(hostname, { whenUnsatisfiable: "ScheduleAnyway" })] }),
            { pods: [own(), pod("tikv-2", "n2"), pod("tikv-3", "n3")] },
        ],
        "and the pod that is in its way is just ending": [
            own({ topologySpreadConstraints: [spreadBy(hostname)] }),
            {
                nodes: [node("n1", cordoned), node("n2")],
                pods: [
                    own(),
                    {
                        ...pod("tikv-2", "n2"),
                        metadata: { uid: "x", namespace: "tidb", labels: { app: "tikv" }, deletionTimestamp: "now" },
                    },
                ],
            },
        ],
    };
    for (const [what, [moved, surroundings]] of Object.entries(free)) {
        it(what, () => assert.equal(room(moved, surroundings).is, "somewhere"));
    }
});

describe("no other node takes a pod", () => {
    const antiAffinity = {
        podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: hostname, labelSelector: { matchLabels: { app: "tikv" } } },
            ],
        },
    };
    const onHostPort = (hostPort: number, protocol?: string): Partial<PodSpec> => ({
        containers: [{ name: "tikv", ports: [{ hostPort, ...(protocol ? { protocol } : {}) }] }],
    });
    const none: Record<string, [Pod, Partial<Surroundings>, names?: string]> = {
        "if its tolerations let it back onto the node that is being emptied": [
            own({ tolerations: [{ operator: "Exists" }] }),
            {},
            "n1",
        ],
        "if its tolerations let it onto another node that is being emptied": [
            own({ tolerations: [{ key: "ToBeDeletedByClusterAutoscaler", operator: "Exists" }] }),
            {
                nodes: [
                    node("n1", cordoned),
                    node("n2"),
                    node("n3", taint("ToBeDeletedByClusterAutoscaler", "NoSchedule")),
                ],
            },
            "n3",
        ],
        "if a port of the node that it needs is taken on each": [
            own(onHostPort(20160)),
            {
                pods: [
                    own(onHostPort(20160)),
                    pod("tikv-2", "n2", onHostPort(20160)),
                    pod("tikv-3", "n3", onHostPort(20160, "TCP")),
                ],
            },
        ],
        "there is none": [own(), { nodes: [node("n1", cordoned)] }],
        "the others are cordoned, or removed by an autoscaler": [
            own(),
            { nodes: [node("n1", cordoned), node("n2", cordoned), node("n3", taint("karpenter.sh/disrupted"))] },
        ],
        "the other is not Ready": [own(), { nodes: [node("n1", cordoned), node("n2", { ready: "Unknown" })] }],
        "the other has a taint": [own(), { nodes: [node("n1", cordoned), node("n2", taint("dedicated"))] }],
        "its node selector names its node": [own({ nodeSelector: { [hostname]: "n1" } }), {}],
        "its node affinity names its node": [
            own({
                affinity: {
                    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: affinityTo(hostname, "n1") },
                },
            }),
            {},
        ],
        "the others have less CPU left than it requests": [
            own(),
            {
                pods: [
                    own(),
                    pod("x", "n2"),
                    pod("y", "n3"),
                    pod("z", "n2", { containers: [{ name: "z", resources: { requests: { cpu: "1" } } }] }),
                    pod("w", "n3", { containers: [{ name: "w", resources: { requests: { cpu: "500m" } } }] }),
                ],
            },
        ],
        "the others have as many pods as they can": [
            own(),
            {
                nodes: [
                    node("n1", cordoned),
                    { ...node("n2"), status: { ...node("n2").status, allocatable: { cpu: "4", pods: "0" } } },
                ],
            },
        ],
        "it would share a node with another pod, which its podAntiAffinity forbids": [
            own({ affinity: antiAffinity }),
            { pods: [own(), pod("tikv-2", "n2", { containers: [] }), pod("tikv-3", "n3", { containers: [] })] },
        ],
        "the node that it leaves counts as empty, so the others would have too many": [
            own({ topologySpreadConstraints: [spreadBy(hostname)] }),
            { pods: [own(), pod("tikv-2", "n2", { containers: [] }), pod("tikv-3", "n3", { containers: [] })] },
        ],
        "with fewer nodes than minDomains, each may have one": [
            own({ topologySpreadConstraints: [spreadBy(hostname, { nodeTaintsPolicy: "Honor", minDomains: 3 })] }),
            {
                nodes: [node("n1", taint("x")), node("n2"), node("n3")],
                pods: [own(), pod("tikv-2", "n2", { containers: [] }), pod("tikv-3", "n3", { containers: [] })],
            },
        ],
        "its volume is in a zone without another node": [
            own(),
            claimed({ nodeAffinity: { required: affinityTo("zone", "b") } }),
        ],
        "its claim is gone": [own(), { claims: { data: undefined } }, "data"],
        "its volume is not listed": [own(), { claims: { data: { spec: { volumeName: "pv-9" } } } }, "pv-9"],
        "a rule of its placement is not judged here": [
            own({ affinity: { podAffinity: antiAffinity.podAntiAffinity } }),
            {},
            "podAffinity",
        ],
        "a selector has an operator that is not known": [
            own({
                affinity: {
                    nodeAffinity: {
                        requiredDuringSchedulingIgnoredDuringExecution: {
                            nodeSelectorTerms: [
                                { matchExpressions: [{ key: hostname, operator: "Near", values: ["n2"] }] },
                            ],
                        },
                    },
                },
            }),
            {},
        ],
    };
    for (const [what, [moved, surroundings, names = ""]] of Object.entries(none)) {
        it(what, () => {
            const found = room(moved, surroundings);
            assert.ok(found.is === "nowhere");
            repeats(found.why, names);
        });
    }
});

describe("a volume on the pod's own node", () => {
    const local: Record<string, NonNullable<Volume["spec"]>> = {
        "a local volume": { local: {}, nodeAffinity: { required: affinityTo(hostname, "n1") } },
        "a volume of a driver for local disks": { nodeAffinity: { required: affinityTo(hostname, "n1") } },
        "a path on the node, of which no affinity says so": { hostPath: {} },
    };
    for (const [what, spec] of Object.entries(local)) {
        it(`${what}: the pod cannot leave`, () =>
            assert.deepEqual(room(own(), claimed(spec)), { is: "bound", volume: "data" }));
    }
});
