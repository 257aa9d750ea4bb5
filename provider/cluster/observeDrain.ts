import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { isReady } from "../lifecycle/diagnosis/nodes";
import type { Pod } from "../lifecycle/diagnosis/objects";
import { drainSign } from "../lifecycle/drain/drainSigns";
import { roomFor } from "../lifecycle/drain/room";
import type { PodDrain, Room } from "../lifecycle/vocabulary/drain";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { SpreadConstraint } from "../lifecycle/vocabulary/spread";
import { KubernetesApiError } from "./apiCall";
import type { NodeAnswer } from "./containerState";
import { mountedClaims } from "./diagnosis/mountedClaims";
import { TooMany } from "./diagnosis/pages";
import type { PlacingCalls } from "./diagnosis/placingCalls";

const apiServer = "the API server";

/**
 * @param node the pod's node, if it has one.
 * @param at when it was read, by the run's own clock.
 * @returns whether the pod's node is being emptied. A node that is gone is not: nothing can leave it.
 */
export function observeDrain({ spec }: V1Pod, node: NodeAnswer | undefined, at: number): Fact<PodDrain> {
    const name = spec?.nodeName;
    if (!name || node === "absent") {
        return known({ isDrained: false }, apiServer, at);
    }
    if (node === undefined) {
        return notKnown(`node ${name} was not read`);
    }
    if ("trouble" in node) {
        return notKnown(node.trouble);
    }
    const why = drainSign(node);
    const drain: PodDrain =
        why === undefined ? { isDrained: false } : { isDrained: true, node: name, why, isReady: isReady(node) };
    return known(drain, apiServer, at);
}

/**
 * @param under the constraints that it would have there. Default: its own.
 * @returns whether another node would take the pod. It never rejects because the API server refuses: then it is not known.
 */
export async function observeRoom(
    calls: PlacingCalls,
    pod: V1Pod,
    at: number,
    under?: readonly SpreadConstraint[],
): Promise<Fact<Room>> {
    const names = mountedClaims(pod);
    try {
        const [nodes, pods, volumes, claims] = await Promise.all([
            calls.nodes(),
            calls.allPods(),
            names.length > 0 ? calls.volumes() : [],
            Promise.all(names.map(async (name) => [name, await calls.claim(name)] as const)),
        ]);
        const placed: Pod = under ? { ...pod, spec: { ...pod.spec!, topologySpreadConstraints: under } } : pod;
        return known(roomFor(placed, { nodes, pods, volumes, claims: Object.fromEntries(claims) }), apiServer, at);
    } catch (error) {
        if (!(error instanceof KubernetesApiError || error instanceof TooMany)) {
            throw error;
        }
        const isForbidden = error instanceof KubernetesApiError && error.status === 403;
        const right = "grant `list` on `nodes`, `pods` and `persistentvolumes` by a ClusterRole";
        return notKnown(isForbidden ? `${error.message}; ${right}` : error.message);
    }
}
