import { withPod, withPodStarted } from "./foreseen";
import { counted } from "../counted";
import type { ObservedMember } from "../observation";
import { podIndexOf } from "../podIndex";
import type { KindsOf } from "./actionKind";

/** Actions on a member's pod. */
export type PodAction =
    /**
     * `isDead`: its PD member failed, and is out of PD. `leaves`: the node, which is being emptied. `lost`: the node, which is gone with the
     * pod's volumes.
     */
    {
        do: "delete-pod";
        pod: string;
        uid: string;
        resourceVersion: string;
        leaders?: number;
        isDead?: true;
        leaves?: string;
        lost?: string;
    };

export const podActions: KindsOf<PodAction> = {
    "delete-pod": {
        describe: ({ pod, leaders, isDead, leaves, lost }) => {
            if (lost !== undefined) {
                return `delete ${pod}, whose volumes are gone with node ${lost}`;
            }
            const does = leaves === undefined ? `restart ${pod}` : `move ${pod} away from node ${leaves}`;
            return isDead
                ? `delete ${pod}, whose PD member failed`
                : leaders === undefined
                  ? does
                  : `${does}, which holds ${counted(leaders, "leader")}`;
        },
        inStep: ({ leaves }) => (leaves === undefined ? "delete pod" : "delete pod, which starts on another node"),
        step: ({ isDead, leaves, lost }) =>
            lost !== undefined ? "give-up" : isDead ? "replace" : leaves === undefined ? "restart" : "move",
        on: ({ uid }) => uid,
        beginsWait: "pod-available",
        seconds: () => 30,
        perform: ({ pod, uid, resourceVersion }, { kubernetes }) => kubernetes.deletePod(pod, uid, resourceVersion),
        foresee: (seen, { pod: name, lost }) => {
            const podIn = ({ component }: ObservedMember) => podIndexOf(seen, component).pods.get(name);
            const member = Object.values(seen.members).find(podIn);
            const pod = member && podIn(member);
            // On a node that does not answer it stays until that is back. Kubernetes deletes the pods of one that is gone.
            return member && pod && (pod.container.known || lost !== undefined)
                ? withPodStarted(seen, member, pod.ordinal, name)
                : withPod(seen, name, (one) => ({ ...one, terminating: true }));
        },
    },
};
