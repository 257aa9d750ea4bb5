import { areSameStores } from "../vocabulary/storesInWords";
import type { Observation, OperationRecords } from "../vocabulary/observation";
import type { GatePolicy } from "../vocabulary/target";

/** `operations.unsafeRecovery`: PD is to recover from the loss of these stores. */
export interface RecoveryTarget {
    /** Ascending, each once. */
    readonly failedStores: readonly number[];
    /** Whether the program says that the stores' processes, nodes and volumes never come back. Without it none is given up. */
    readonly neverComeBack: boolean;
    /** After which PD gives up, in seconds. */
    readonly timeoutSeconds: number;
    readonly policy: GatePolicy;
}

/** @returns the failed stores from whose loss PD is not on record to have recovered. */
export function pendingStores({ failedStores }: RecoveryTarget, { unsafeRecovery }: OperationRecords): number[] {
    return failedStores.filter((id) => !unsafeRecovery?.finished.includes(id));
}

/**
 * PD judges a region by the stores of the request alone, so a Tombstone store that is left out counts as one that lives. The request
 * therefore holds every named store that PD lists, also one that an earlier recovery has buried.
 *
 * @returns the stores that PD is told of; all named ones while PD's stores are not known.
 */
export function requestedStores({ failedStores }: RecoveryTarget, { pd }: Observation): readonly number[] {
    const { stores, tombstones } = pd;
    if (!stores.known || !tombstones.known) {
        return failedStores;
    }
    const listed = new Set([...stores.value, ...tombstones.value].map(({ id }) => id));
    return failedStores.filter((id) => listed.has(id));
}

/** @returns whether a recovery of exactly these stores was begun, and is not known to have finished. */
export function isOnRecord(stores: readonly number[], { unsafeRecovery }: OperationRecords): boolean {
    return areSameStores(unsafeRecovery?.begun?.stores, stores);
}
