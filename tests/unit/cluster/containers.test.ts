import type { V1ContainerStatus, V1Node, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { nodeToRead, observeContainer } from "../../../provider/cluster/containerState";

const readyNode: V1Node = { status: { conditions: [{ type: "Ready", status: "True" }] } };
const container = (state?: V1ContainerStatus["state"]): V1ContainerStatus => ({
    name: "tikv",
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state,
});
const podOf = (status: V1Pod["status"]): V1Pod => ({ spec: { containers: [], nodeName: "node-1" }, status });

describe("the state of a member's own container", () => {
    for (const [name, status, expected] of [
        [
            "is unknown for a pod without a status",
            undefined,
            "node node-1 has not reported the state of container tikv",
        ],
        [
            "is unknown for a container without a state",
            { containerStatuses: [container()] },
            "node node-1 has not reported the state of container tikv",
        ],
        [
            "is unknown if the start time is missing, because heartbeats could be its predecessor's",
            { containerStatuses: [container({ running: {} })] },
            "container tikv is running, but its node does not report since when",
        ],
        ["is over once its pod has failed", { phase: "Failed", containerStatuses: [container()] }, { is: "stopped" }],
        ["is over once its pod has succeeded", { phase: "Succeeded" }, { is: "stopped" }],
    ] as const) {
        it(name, () => {
            const fact = observeContainer(podOf(status as V1Pod["status"]), "tikv", readyNode, 5);
            assert.deepEqual(
                fact,
                typeof expected === "string"
                    ? { known: false, why: expected }
                    : { known: true, value: expected, from: "node node-1", at: 5 },
            );
        });
    }

    const crashed = podOf({ containerStatuses: [container({ terminated: { exitCode: 1 } })] });
    const silent = "and may still run what it no longer reports";
    for (const [name, node, why] of [
        ["has no conditions", {}, `node node-1 is not Ready (it has no Ready condition), ${silent}`],
        [
            "has a status without conditions",
            { status: {} },
            `node node-1 is not Ready (it has no Ready condition), ${silent}`,
        ],
        [
            "reports enough memory and nothing else",
            { status: { conditions: [{ type: "MemoryPressure", status: "True", reason: "Enough" }] } },
            `node node-1 is not Ready (it has no Ready condition), ${silent}`,
        ],
        [
            "is not Ready, whatever else it says",
            {
                status: {
                    conditions: [
                        { type: "MemoryPressure", status: "True" },
                        { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" },
                    ],
                },
            },
            `node node-1 is not Ready (NodeStatusUnknown), ${silent}`,
        ],
    ] as [string, V1Node, string][]) {
        it(`is unknown if its node ${name}, because a TiKV may still run there`, () => {
            assert.deepEqual(observeContainer(crashed, "tikv", node, 5), { known: false, why });
        });
    }

    it("is read from a node only if nobody knows whether the container runs", () => {
        for (const status of [undefined, {}, { containerStatuses: [container()] }]) {
            assert.equal(nodeToRead(podOf(status), "tikv"), "node-1");
        }
    });
});
