import { componentLabel, instanceLabel } from "../../topology/labels";
import { known, notKnown } from "../lifecycle/vocabulary/evidence";
import { isRefusal, KubernetesApiError } from "./apiCall";
import { placingCalls } from "./diagnosis/placingCalls";
import type { ListCalls } from "./listCalls";
import { observeRoom } from "./observeDrain";
import type { MemberReads } from "./observeMembers";
import { observePlace } from "./observePlace";
import { observeVolume } from "./observeVolume";
import type { ClusterId } from "./clusterId";
import type { ReadCalls } from "./readCalls";

/** @returns the reads from Kubernetes that observe a cluster's members. */
export function memberReads(
    { apps, core, storage, version, read, readOrMissing, readWholeStatefulSet }: ReadCalls,
    lists: ListCalls,
    id: ClusterId,
): MemberReads {
    const { namespace, cluster, instance } = id;
    return {
        statefulSet: (name, isWhole = false) =>
            isWhole
                ? readWholeStatefulSet(namespace, name)
                : readOrMissing(`read StatefulSet ${name}`, () => apps.readNamespacedStatefulSet({ namespace, name })),
        pods: async (components) => {
            const labelSelector = `${instanceLabel}=${instance},${componentLabel} in (${components.join(",")})`;
            const what = `list pods of ${cluster} (${components.join(", ")})`;
            return (await read(what, () => lists.pods(labelSelector))).items;
        },
        wholePod: (name) => readOrMissing(`read pod ${name}`, () => core.readNamespacedPod({ namespace, name })),
        claims: async (isWhole) =>
            (await read(`list claims of namespace ${namespace}`, () => lists.claims(isWhole))).items,
        node: async (name) => {
            try {
                return (await readOrMissing(`read node ${name}`, () => core.readNode({ name }))) ?? "absent";
            } catch (error) {
                if (!(error instanceof KubernetesApiError)) {
                    throw error;
                }
                // Nodes are cluster-wide, unlike everything else that gates read: a namespace's Role cannot grant this.
                const right = error.status === 403 ? "; grant `get` on `nodes` by a ClusterRole" : "";
                return { trouble: `${error.message}${right}` };
            }
        },
        revisions: async (component, at, isNeeded) => {
            const labelSelector = `${instanceLabel}=${instance},${componentLabel}=${component}`;
            const what = `list the revisions of ${cluster}-${component}`;
            try {
                const { items } = await read(what, () =>
                    apps.listNamespacedControllerRevision({ namespace, labelSelector }),
                );
                return known(items, "the API server", at);
            } catch (error) {
                if (!(error instanceof KubernetesApiError) || (isNeeded && !isRefusal(error))) {
                    throw error;
                }
                return notKnown(error.message);
            }
        },
        room: (pod, at, under) => observeRoom(placingCalls({ core, read, readOrMissing }, namespace), pod, at, under),
        expands: async (name, at) => {
            try {
                const found = await readOrMissing(`read StorageClass ${name}`, () =>
                    storage.readStorageClass({ name }),
                );
                return known(found?.allowVolumeExpansion === true, "the API server", at);
            } catch (error) {
                if (!(error instanceof KubernetesApiError)) {
                    throw error;
                }
                return notKnown(error.message);
            }
        },
        place: (claim, at) => observePlace({ core, read, readOrMissing }, namespace, claim, at),
        volume: (claim, at) => observeVolume({ core, readOrMissing }, claim, at),
        time: async () => {
            const { headers } = await read("read the time", () => version.getCodeWithHttpInfo());
            const time = Date.parse(headers.date ?? "");
            return Number.isNaN(time) ? undefined : time;
        },
    };
}
