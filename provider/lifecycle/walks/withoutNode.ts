import { timeLeft } from "../stages/failover/verdict";
import type { PodView } from "../vocabulary/stage";

const openEnded = { estimateSeconds: 0, isOpenEnded: true } as const;

/**
 * The scheduler has tried, or the node is silent, so nobody knows how long the start of the pod takes.
 * @returns what the step says of that; nothing if the pod has a node of which nothing is wrong, or not known.
 */
export function withoutNode({ pod, target }: PodView): Partial<typeof openEnded & { why: string; risk: string }> {
    const ends = `the update fails after ${timeLeft(target.policy.podReadyTimeoutSeconds)}`;
    const container = pod?.container;
    if (pod?.node === undefined && pod?.trouble !== undefined) {
        return { ...openEnded, risk: `no node takes it now: if none does, ${ends}` };
    }
    if (container?.known === false && container.ranSince !== undefined) {
        const risk = `nothing can start it on that node now: unless the node comes back, or another pod takes its place, ${ends}`;
        return { ...openEnded, why: container.why, risk };
    }
    return {};
}
