import { leaseAnnotations } from "../../../topology/annotations";
import { leaseName, memberName } from "../../../topology/names";
import type { Move, Problem } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";

/**
 * Which PD the cluster's is. Its id is noted in the Lease when the cluster is first well, because nothing else tells a
 * PD that was bootstrapped anew on empty volumes, or one that a wrong address leads to, from the one that has the data.
 */

/** @returns why nothing may be done where PD is another one than the cluster's. */
export function wrongPd({ cluster, pd, pdClusterId }: Observation): Problem | undefined {
    const { clusterId } = pd;
    if (!clusterId.known || pdClusterId === undefined || clusterId.value === pdClusterId) {
        return undefined;
    }
    return {
        step: "same-pd",
        target: memberName(cluster, "pd"),
        seen: `PD has the cluster id ${clusterId.value}, the one that this cluster's data are known to has ${pdClusterId}`,
        next: `compare \`pd.address\` and the volumes of the PD pods; where the new PD is meant, remove the annotation ${leaseAnnotations.pdClusterId} from the Lease ${leaseName(cluster)}`,
    };
}

/** @returns the move that notes PD's id, where it is not noted yet. */
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
