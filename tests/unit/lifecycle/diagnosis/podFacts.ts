import type {
    CoreV1Event,
    V1Container,
    V1ContainerStatus,
    V1Node,
    V1PersistentVolumeClaim,
    V1Pod,
} from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { amountsOf } from "../../../../provider/lifecycle/diagnosis/amounts";
import type { ClaimFacts, NodeFacts, PodFacts } from "../../../../provider/lifecycle/diagnosis/facts";
import { type Fact, known, notAsked, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";

export const seen = <T>(value: T): Fact<T> => known(value, "the API server", 0);
export const forbidden = notKnown("the API server answered 403");

/** A pod of TiKV that is not Ready. */
export function podOf(
    status: Partial<V1Pod["status"]> & object,
    container: Partial<V1Container> = {},
    spec: Partial<V1Pod["spec"]> = {},
): V1Pod {
    return {
        metadata: { name: "basic-tikv-0", namespace: "tidb", uid: "pod-0" },
        spec: { containers: [{ name: "tikv", ...container }], ...spec },
        status: { phase: "Pending", ...status },
    };
}

/** A pod for which the scheduler finds no node. */
export function unscheduled(message: string, requests: Record<string, string> = {}, spec: object = {}): V1Pod {
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
    return podOf({ conditions }, { resources: { requests } }, spec);
}

export function statusOf(one: Partial<V1ContainerStatus>): V1ContainerStatus {
    return { name: "tikv", image: "pingcap/tikv:v8.5.3", imageID: "", ready: false, restartCount: 0, ...one };
}

export function eventOf(reason: string, message: string, more: Partial<CoreV1Event> = {}): CoreV1Event {
    return { metadata: { name: `event-${reason}` }, involvedObject: {}, reason, message, count: 1, ...more };
}

export function nodeOf(
    name: string,
    allocatable: Record<string, string>,
    used: object = {},
    more: object = {},
): NodeFacts {
    const node: V1Node = { metadata: { name, ...more }, status: { allocatable }, ...more };
    return { node, requested: seen(amountsOf(used as Record<string, string>)) };
}

export function claimOf(
    spec: V1PersistentVolumeClaim["spec"],
    events: readonly CoreV1Event[] = [],
    phase = "Pending",
): ClaimFacts {
    const name = "tikv-basic-tikv-0";
    const requests = { storage: "100Gi" };
    const claim = { metadata: { name }, spec: { resources: { requests }, ...spec }, status: { phase } };
    return { name, claim: seen(claim), events: seen(events) };
}

export function factsOf(pod: V1Pod | undefined, more: Partial<PodFacts> = {}): PodFacts {
    return {
        name: "basic-tikv-0",
        component: "tikv",
        pod,
        events: seen([]),
        claims: [],
        nodes: notAsked,
        classes: notAsked,
        volumes: notAsked,
        logs: {},
        ...more,
    };
}
