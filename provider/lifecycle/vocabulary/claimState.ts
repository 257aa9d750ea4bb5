import { parseQuantity } from "../../../topology/quantity";
import type { GrownBy } from "./volumeGrowth";

/** What a claim's spec and status say, beyond that it exists. Sizes are quantities as the API server writes them: `10Gi`. */
export interface ClaimState {
    /** Such as `Bound`. */
    readonly phase: string;
    /** Whether it says from which snapshot or claim it is made. */
    readonly hasSource: boolean;
    /** The size that it requests. */
    readonly requested?: string;
    /** The size of its volume. Default: it has none yet. */
    readonly capacity?: string;
    /** Its StorageClass; empty for none. */
    readonly storageClass?: string;
    /** The VolumeAttributesClass that it requests. Default: none. */
    readonly attributesClass?: string;
    /** Which one its volume has, and how far a change of it has come. */
    readonly attributes?: VolumeAttributes;
    /** A change of its size that is under way. Default: none is. */
    readonly resize?: VolumeResize;
    /** Its last automatic growth. Default: it has never grown so, or that is not readable. */
    readonly grown?: GrownBy;
}

/**
 * How far a larger size has come, by the claim's conditions and `allocatedResourceStatuses`
 * (https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/persistent-volume-claim-v1).
 */
export interface VolumeResize {
    /** `volume`: the driver enlarges the volume. `file-system`: a node enlarges its file system, some drivers only when the pod starts. */
    readonly of: "volume" | "file-system";
    /** Since when the file system waits for a node, by the clock of Kubernetes. Default: not known. */
    readonly since?: number;
    /** For how long it had waited when it was read, in milliseconds. Default: not known. */
    readonly waited?: number;
    /** Why the last attempt failed, in the driver's words. Default: none has failed. */
    readonly trouble?: string;
    /** Whether the driver has refused the size for good. Default: it is tried again. */
    readonly isInfeasible?: true;
}

/** The VolumeAttributesClass of a claim's volume (https://kubernetes.io/docs/concepts/storage/volume-attributes-classes). */
export interface VolumeAttributes {
    /** The class that the driver has applied. Default: none. */
    readonly current?: string;
    /** Why the last attempt failed, in the driver's words. Default: none has failed. */
    readonly trouble?: string;
    /** Whether the driver has refused the class for good. Default: it is tried again. */
    readonly isInfeasible?: true;
}

/** @returns the amount of a size in billionths of a byte; undefined if it is not known. */
export function amountOf(size: string | undefined): bigint | undefined {
    return parseQuantity(size)?.billionths;
}

/** @returns whether a size is known to be smaller than another one. One that is not known is not. */
export function isSmaller(size: string | undefined, than: string | undefined): boolean {
    const [one, other] = [amountOf(size), amountOf(than)];
    return one !== undefined && other !== undefined && one < other;
}

/** @returns what a change of a volume's size waits for. @param resize the change; undefined if nothing shows one. */
export function resizeInWords(resize: Pick<VolumeResize, "of" | "trouble" | "isInfeasible"> | undefined): string {
    if (resize === undefined) {
        return "nothing has begun to enlarge it";
    }
    const of = resize.of === "volume" ? "the driver enlarges the volume" : "the node enlarges the file system";
    const [refused, failed] =
        resize.of === "volume"
            ? ["the driver refuses the size", "the driver failed to enlarge the volume, and tries again"]
            : [
                  "the node cannot enlarge the file system",
                  "the node failed to enlarge the file system, and tries again",
              ];
    return resize.isInfeasible ? refused : resize.trouble === undefined ? of : failed;
}
