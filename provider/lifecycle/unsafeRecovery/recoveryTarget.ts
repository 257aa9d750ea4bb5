import { areSameStores } from "../vocabulary/records";
import type { OperationRecords } from "../vocabulary/observation";
import type { GatePolicy } from "../vocabulary/target";

/** `operations.unsafeRecovery`: PD is to recover from the loss of these stores. */
export interface RecoveryTarget {
    /** Ascending, each once. */
    readonly failedStores: readonly number[];
    /** Whether the program says that the stores' processes, nodes and volumes never come back. */
    readonly neverComeBack: boolean;
    /** After which PD gives up, in seconds. */
    readonly timeoutSeconds: number;
    readonly policy: GatePolicy;
}

/** @returns the failed stores from whose loss PD is not on record to have recovered. */
export function pendingStores({ failedStores }: RecoveryTarget, { unsafeRecovery }: OperationRecords): number[] {
    return failedStores.filter((id) => !unsafeRecovery?.finished.includes(id));
}

/** @returns whether a recovery of exactly these stores was begun, and is not known to have finished. */
export function isOnRecord(stores: readonly number[], { unsafeRecovery }: OperationRecords): boolean {
    return areSameStores(unsafeRecovery?.begun?.stores, stores);
}
