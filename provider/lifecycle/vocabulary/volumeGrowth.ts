/** `operations.volumes`: how the data volumes of stores grow with their use. Shares are in percent. */
export interface GrowthPolicy {
    /** The use of the disk from which on it grows. */
    readonly growAt: number;
    /** By which share of its size it grows. */
    readonly by: number;
    /** The size that none exceeds, as a quantity. */
    readonly max: string;
}

/** The last automatic growth of a claim, as recorded on it. Sizes are quantities. */
export interface GrownBy {
    /** When, in ISO 8601. */
    readonly at: string;
    readonly from: string;
    readonly to: string;
    /** The size of the store's disk by which it was decided, as PD reported it. Until PD reports more, the same fullness is seen again. */
    readonly storeBytes: number;
}
