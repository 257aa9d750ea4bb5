/** What becomes of a volume once its claim is deleted, as far as a program asks for it (`persistentVolumeReclaimPolicy`). */
export type ReclaimPolicy = "Retain" | "Delete";

/** The PersistentVolume that a claim is bound to. */
export interface BoundVolume {
    readonly name: string;
    readonly uid: string;
    /** Identifies the state in which it was observed. */
    readonly resourceVersion: string;
    /** As Kubernetes has it: also one that no program asks for. */
    readonly reclaimPolicy: string;
}

/** @returns whether the claim's volume gets the program's policy. What a scale-in has released, or what is being deleted, keeps its own. */
export function getsPolicy(claim: { readonly released: boolean; readonly terminating: boolean }): boolean {
    return !claim.released && !claim.terminating;
}
