import { hostnameLabel, nodeOfVolume } from "../lifecycle/lostNodes/volumeNode";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { VolumePlace } from "../lifecycle/vocabulary/volumePlace";
import { KubernetesApiError } from "./apiCall";
import type { ReadCalls } from "./readCalls";

/**
 * @param at when it was read, by the run's own clock.
 * @returns where the volume of a claim is. It never rejects because the API server refuses: then it is not known.
 */
export async function observePlace(
    { core, read, readOrMissing }: Pick<ReadCalls, "core" | "read" | "readOrMissing">,
    namespace: string,
    claim: string,
    at: number,
): Promise<Fact<VolumePlace>> {
    try {
        return known(await placeOf(), "the API server", at);
    } catch (error) {
        if (!(error instanceof KubernetesApiError)) {
            throw error;
        }
        const right = "grant `get` on `persistentvolumes`, and `get` and `list` on `nodes`, by a ClusterRole";
        return notKnown(error.status === 403 ? `${error.message}; ${right}` : error.message);
    }

    async function placeOf(): Promise<VolumePlace> {
        const found = await readOrMissing(`read claim ${claim}`, () =>
            core.readNamespacedPersistentVolumeClaim({ namespace, name: claim }),
        );
        const name = found?.spec?.volumeName;
        if (!name) {
            return { is: "unbound" };
        }
        const volume = await readOrMissing(`read volume ${name}`, () => core.readPersistentVolume({ name }));
        const node = volume && nodeOfVolume(volume);
        if (node === undefined) {
            const why = volume ? "is not tied to one node" : "does not exist";
            return { is: "elsewhere", why: `its volume ${name} ${why}` };
        }
        // Asked both ways: the host name of a node need not be its name.
        const labelSelector = `${hostnameLabel}=${node}`;
        const [named, labelled] = await Promise.all([
            readOrMissing(`read node ${node}`, () => core.readNode({ name: node })),
            read(`list the nodes with host name ${node}`, () => core.listNode({ labelSelector })),
        ]);
        return { is: "on-node", volume: name, node, isGone: named === undefined && labelled.items.length === 0 };
    }
}
