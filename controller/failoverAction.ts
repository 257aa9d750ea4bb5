import type { ClusterAccess } from "../provider/cluster/access";
import { replaceDead } from "../provider/gates/replaceDead";
import type { StatusSources } from "../status/statusSources";
import type { ControllerAction } from "./clusterWorker";
import { unattendedAction, type UnattendedTelling } from "./unattendedAction";

/**
 * Replaces dead members, as `pulumi up` would: what the last update noted on the Lease says which, how many and after how long. It
 * takes no replacement away again.
 */
export function failoverAction(
    access: ClusterAccess,
    sources: StatusSources,
    telling: UnattendedTelling,
): ControllerAction {
    return unattendedAction(
        {
            kind: "failover",
            // One that was begun may have to go on while every pod is Ready: PD's process runs in the pod of a member that it has dropped.
            mayBeDue: (_name, { conditions, members }) =>
                conditions.some(({ status }) => status !== "True") ||
                members.some(({ pods }) => pods.some(({ phase }) => phase !== "ready")),
            work: replaceDead,
        },
        access,
        sources,
        telling,
    );
}
