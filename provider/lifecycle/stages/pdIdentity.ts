import { leaseAnnotations } from "../../../topology/annotations";
import { leaseName, memberName } from "../../../topology/names";
import type { Move, Problem } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";

/**
 * The identity of the cluster's PD. Its cluster id is recorded in the Lease when the cluster is first healthy. Nothing else
 * distinguishes the PD that has the data from one that was bootstrapped again on empty volumes or one at a wrong address.
 */

/** @returns the problem if PD is not the cluster's own; nothing may be done then. */
export function wrongPd({ cluster, pd, pdClusterId }: Observation): Problem | undefined {
    const { clusterId } = pd;
    if (!clusterId.known || pdClusterId === undefined || clusterId.value === pdClusterId) {
        return undefined;
    }
    return {
        code: "same-pd",
        step: "same-pd",
        target: memberName(cluster, "pd"),
        seen: `PD has the cluster id ${clusterId.value}, expected ${pdClusterId}, the id of the PD that holds this cluster's metadata`,
        next: `check \`pd.address\` and the volumes of the PD pods; if the new PD is intended, remove the annotation ${leaseAnnotations.pdClusterId} from the Lease ${leaseName(cluster)}`,
    };
}

/** @returns the move that records PD's cluster id, if it is not recorded yet. */
export function notePd({ cluster, pd, pdClusterId }: Observation): Move | undefined {
    return pd.clusterId.known && pdClusterId === undefined
        ? {
              kind: "act",
              action: { do: "note-pd", clusterId: pd.clusterId.value },
              step: "same-pd",
              target: memberName(cluster, "pd"),
          }
        : undefined;
}
