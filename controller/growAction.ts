import type { ClusterAccess } from "../provider/cluster/access";
import { growVolumes } from "../provider/gates/growVolumes";
import type { StatusSources } from "../status/statusSources";
import type { ControllerAction } from "./clusterWorker";
import { notMoreOftenThan } from "./notMoreOften";
import { unattendedAction, type UnattendedTelling } from "./unattendedAction";

/** A disk fills up in minutes, not in seconds. */
const everyMilliseconds = 30_000;

/** Enlarges volumes of full disks, as `pulumi up` would: what the last update noted on the Lease says when, by how much and up to which size. */
export function growAction(
    access: ClusterAccess,
    sources: StatusSources,
    telling: UnattendedTelling,
): ControllerAction {
    const isDue = notMoreOftenThan(telling);
    return unattendedAction(
        {
            kind: "grow",
            mayBeDue: (name, { stores }) => stores.known && stores.value.length > 0 && isDue(name, everyMilliseconds),
            work: growVolumes,
        },
        access,
        sources,
        telling,
    );
}
