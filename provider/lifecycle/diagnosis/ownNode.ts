import type { Cause } from "./cause";
import type { PodFacts } from "./facts";
import type { Pod } from "./objects";

/** @returns why nothing happens to a pod on its node: the node is gone, or not Ready. What nobody knows is no cause. */
export function whyNodeFails({ name: of, ownNode }: PodFacts, { spec }: Pod): Cause | undefined {
    const node = `node ${spec?.nodeName}`;
    if (!ownNode?.known) {
        return undefined;
    }
    if (ownNode.value === undefined) {
        return {
            of,
            reason: "NodeGone",
            what: `its ${node} is gone`,
            fix: "bring the node back, or wait: Kubernetes deletes the pod and makes it anew. If its volume was on that node and is lost for good, name the node in `operations.lostNodes`",
        };
    }
    const ready = ownNode.value.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready === undefined || ready.status === "True") {
        return undefined;
    }
    const evidence = [ready.reason, ready.message].filter((one) => one).join(": ");
    return {
        of,
        reason: "NodeNotReady",
        what: `its ${node} is not Ready`,
        ...(evidence === "" ? {} : { evidence }),
        fix: `bring the node back (kubectl describe ${node}); if it is lost for good, delete its Node object once the machine is surely off`,
    };
}
