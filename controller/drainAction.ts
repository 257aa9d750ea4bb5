import type { ClusterAccess } from "../provider/cluster/access";
import { moveDrained } from "../provider/gates/moveDrained";
import type { StatusSources } from "../status/statusSources";
import type { ControllerAction } from "./clusterWorker";
import { notMoreOftenThan } from "./notMoreOften";
import { unattendedAction, type UnattendedTelling } from "./unattendedAction";

/** Each look reads the node of each pod. With 1,000 pods that is a look every 100 seconds. */
const millisecondsPerPod = 100;

/** Moves pods away from nodes that are being emptied, as `pulumi up` would. */
export function drainAction(
    access: ClusterAccess,
    sources: StatusSources,
    telling: UnattendedTelling,
): ControllerAction {
    const isDue = notMoreOftenThan(telling);
    return unattendedAction(
        {
            kind: "drain",
            mayBeDue: (name, { members }) => {
                const pods = members.reduce((sum, member) => sum + member.pods.length, 0);
                return isDue(name, pods * millisecondsPerPod);
            },
            work: moveDrained,
        },
        access,
        sources,
        telling,
    );
}
