import type { BoundVolume } from "../lifecycle/vocabulary/boundVolume";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import { KubernetesApiError } from "./apiCall";
import type { ListedClaim } from "./listCalls";
import type { ReadCalls } from "./readCalls";

/**
 * A claim may name a volume that is bound to another one, or to none yet.
 * @param at when it was read, by the run's own clock.
 * @returns the volume that is bound to this very claim. It never rejects because the API server refuses: then it is not known.
 */
export async function observeVolume(
    { core, readOrMissing }: Pick<ReadCalls, "core" | "readOrMissing">,
    { metadata: claim, spec }: ListedClaim,
    at: number,
): Promise<Fact<BoundVolume | undefined>> {
    const name = spec?.volumeName;
    if (!name) {
        return known(undefined, "the API server", at);
    }
    try {
        const found = await readOrMissing(`read volume ${name}`, () => core.readPersistentVolume({ name }));
        const { uid = "", resourceVersion = "" } = found?.metadata ?? {};
        const { claimRef, persistentVolumeReclaimPolicy: reclaimPolicy = "" } = found?.spec ?? {};
        const isBound = claimRef?.uid !== undefined && claimRef.uid === claim?.uid;
        return known(isBound ? { name, uid, resourceVersion, reclaimPolicy } : undefined, "the API server", at);
    } catch (error) {
        if (!(error instanceof KubernetesApiError)) {
            throw error;
        }
        return notKnown(error.message);
    }
}
