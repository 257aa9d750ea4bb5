import * as assert from "node:assert/strict";
import { describeCause } from "../../../../provider/lifecycle/diagnosis/cause";
import { diagnosePod } from "../../../../provider/lifecycle/diagnosis/diagnosePod";
import { eventOf, factsOf, forbidden, nodeOf, seen, unscheduled } from "./podFacts";
import { repeats } from "../../../support/repeats";

const preemption =
    " no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
const said = (text: string) => `0/3 nodes are available: ${text}.${preemption}`;
const nodes = (used: object = {}, more: object = {}) =>
    seen([1, 2, 3].map((index) => nodeOf(`node-${index}`, { cpu: "16", memory: "64Gi" }, used, more)));

describe("why a pod is not scheduled", () => {
    for (const [name, message, requests, facts, what, fix] of [
        [
            "it requests more CPU than any node has",
            said("3 Insufficient cpu"),
            { cpu: "20" },
            { nodes: nodes() },
            "it requests 20 CPU, and no node has as much: the largest of 3 nodes has 16 (4 short)",
            "lower what TiKV requests, or add a node that has room for it",
        ],
        [
            "other pods have taken the memory",
            said("3 Insufficient memory"),
            { memory: "16Gi" },
            { nodes: nodes({ memory: "52Gi" }) },
            "it requests 16Gi of memory, and 3 of 3 nodes have less left: at most 12Gi, on node-1 (4Gi short)",
            "lower what TiKV requests, or add a node that has room for it",
        ],
        [
            "one node lacks CPU, and the others have a taint",
            said("1 Insufficient cpu, 2 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }"),
            { cpu: "8" },
            {
                nodes: seen([
                    nodeOf("node-1", { cpu: "16" }, { cpu: "12" }),
                    nodeOf("node-2", { cpu: "16" }, {}, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }),
                ]),
            },
            "it requests 8 CPU, and 1 of 1 node has less left: at most 4, on node-1 (4 short); 2 nodes have the taint {node-role.kubernetes.io/control-plane: }, which it does not tolerate",
            "lower what TiKV requests, or add a node that has room for it, and add a toleration to TiKV, or remove the taint",
        ],
        [
            "nodes may not be read",
            said("3 Insufficient cpu"),
            { cpu: "20" },
            { nodes: forbidden },
            "not enough CPU on 3 nodes",
            "lower what TiKV requests, or add a node that has room for it",
        ],
        [
            "what other pods request may not be read",
            said("3 Insufficient nvidia.com/gpu"),
            { cpu: "2" },
            { nodes: seen([{ ...nodeOf("node-1", { cpu: "16" }), requested: forbidden }]) },
            "not enough nvidia.com/gpu on 3 nodes",
            undefined,
        ],
        [
            "what the pods on one of the nodes request is not known",
            said("2 Insufficient cpu"),
            { cpu: "4" },
            {
                nodes: seen([
                    nodeOf("node-1", { cpu: "16" }, { cpu: "14" }),
                    { ...nodeOf("node-2", { cpu: "16" }), requested: forbidden },
                ]),
            },
            "not enough CPU on 2 nodes",
            undefined,
        ],
        [
            "zones are full",
            said("3 node(s) didn't match pod topology spread constraints"),
            {},
            {},
            "on 3 nodes it would break its topology spread constraints",
            "add nodes in the zones or hosts that have the fewest pods of TiKV, or loosen its topologySpreadConstraints",
        ],
        [
            "of anti-affinity",
            said("3 node(s) didn't match pod anti-affinity rules"),
            {},
            {},
            "on 3 nodes it would break the anti-affinity between pods",
            "add a node that meets it, or loosen the affinity of TiKV",
        ],
        [
            "of its node selector",
            said("3 node(s) didn't match Pod's node affinity/selector"),
            {},
            {},
            "3 nodes do not meet its node selector or node affinity",
            "correct nodeSelector or affinity of TiKV, or label a node",
        ],
        [
            "its volume is elsewhere",
            said("3 node(s) had volume node affinity conflict"),
            {},
            {},
            "3 nodes cannot reach its volume, which is tied to another node or zone",
            undefined,
        ],
        [
            "its volume is elsewhere, as Kubernetes 1.36 says it",
            said("3 node(s) didn't match PersistentVolume's node affinity"),
            {},
            {},
            "3 nodes cannot reach its volume, which is tied to another node or zone",
            undefined,
        ],
        ["nodes are cordoned", said("3 node(s) were unschedulable"), {}, {}, "3 nodes are cordoned", undefined],
        ["one node is full of pods", said("1 Too many pods"), {}, {}, "1 node has no room for another pod", undefined],
        ["nodes are full of pods", said("3 Too many pods"), {}, {}, "3 nodes have no room for another pod", undefined],
        [
            "no local volume is free",
            said("3 node(s) didn't find available persistent volumes to bind"),
            {},
            {},
            "3 nodes have no free volume for its claims",
            undefined,
        ],
        [
            "the scheduler says something new",
            "all nodes are asleep",
            {},
            {},
            "the scheduler finds no node for it",
            "change what the scheduler names",
        ],
    ] as const) {
        it(name, () => {
            const causes = diagnosePod(factsOf(unscheduled(message, requests), facts));
            assert.deepEqual(
                causes.map((cause) => describeCause(cause)),
                [`${what} (${message})`],
            );
            if (fix !== undefined) {
                assert.equal(causes[0].fix, fix);
            }
        });
    }

    describe("counts only nodes that its selector and tolerations let it onto", () => {
        const taints = [{ key: "dedicated", value: "tikv", effect: "NoSchedule" }];
        const one = (spec: object) =>
            diagnosePod(
                factsOf(unscheduled(said("3 Insufficient cpu"), { cpu: "8" }, spec), {
                    nodes: seen([
                        nodeOf("tainted", { cpu: "16" }, { cpu: "10" }, { spec: { taints } }),
                        nodeOf("open", { cpu: "16" }, { cpu: "14" }),
                    ]),
                }),
            )[0].what;

        for (const [what, spec, ...names] of [
            ["without a toleration", {}, "1 of 1 node", "at most 2, on open"],
            [
                "with one for the value",
                { tolerations: [{ key: "dedicated", value: "tikv" }] },
                "2 of 2",
                "at most 6, on tainted",
            ],
            ["with one for another value", { tolerations: [{ key: "dedicated", value: "pd" }] }, "1 of 1 node"],
            ["with one for everything", { tolerations: [{ operator: "Exists" }] }, "2 of 2"],
        ] as const) {
            it(what, () => repeats(one(spec), ...names));
        }
        it("with a selector that none meets", () =>
            assert.equal(one({ nodeSelector: { disk: "ssd" } }), "not enough CPU on 3 nodes"));
    });

    describe("is final", () => {
        const finalOf = (facts: object, requests = { cpu: "20" }) =>
            diagnosePod(factsOf(unscheduled(said("3 Insufficient cpu"), requests), facts))[0].final;

        it("if no node could ever have room, and nothing shows an autoscaler", () =>
            assert.deepEqual(finalOf({ nodes: nodes() }), { afterSeconds: 60 }));
        for (const [name, facts, requests] of [
            ["other pods have taken the room", { nodes: nodes({ cpu: "14" }) }, { cpu: "4" }],
            ["nodes may not be read", { nodes: forbidden }, undefined],
            ["there is no node", { nodes: seen([]) }, undefined],
            ["events may not be read: an autoscaler reports there", { nodes: nodes(), events: forbidden }, undefined],
            [
                "an autoscaler has begun",
                { nodes: nodes(), events: seen([eventOf("TriggeredScaleUp", "pod triggered scale-up")]) },
                undefined,
            ],
            [
                "an autoscaler cannot help now",
                {
                    nodes: nodes(),
                    events: seen([eventOf("FailedScheduling", "…", { source: { component: "karpenter" } })]),
                },
                undefined,
            ],
            [
                "a node belongs to an autoscaler",
                { nodes: nodes({}, { labels: { "karpenter.sh/nodepool": "db" } }) },
                undefined,
            ],
        ] as const) {
            it(`not if ${name}`, () => assert.equal(finalOf(facts, requests), undefined));
        }
    });

    it("counts init containers, sidecars and the overhead as the scheduler does", () => {
        const resources = (cpu: string) => ({ resources: { requests: { cpu } } });
        const spec = {
            initContainers: [
                { name: "once", ...resources("3") },
                { name: "sidecar", restartPolicy: "Always", ...resources("2") },
                { name: "after", ...resources("18") },
            ],
            overhead: { cpu: "1" },
        };
        const pod = unscheduled(said("3 Insufficient cpu"), { cpu: "15" }, spec);
        repeats(diagnosePod(factsOf(pod, { nodes: nodes() }))[0].what, "21 CPU");
    });
});
