/** The kinds of causes, as words for programs. */
export type CauseReason =
    | "InsufficientResources"
    | "Unschedulable"
    | "StorageClassMissing"
    | "VolumeMissing"
    | "VolumeBeingDeleted"
    | "VolumeNotEnlarged"
    | "ClaimPending"
    | "QuotaExceeded"
    | "PodRefused"
    | "ImageNotFound"
    | "ImageNotPulled"
    | "ConfigurationRefused"
    | "ContainerNotCreated"
    | "ContainerCrashes"
    | "OutOfMemory"
    | "VolumeNotMounted"
    | "NotReady"
    | "NodeGone"
    | "NodeNotReady"
    | "PodFailed"
    | "CertificateExpires"
    | "NotGuaranteed";

/** Why something is not right, and what to do about it. */
export interface Cause {
    /** The pod, claim, Secret or member concerned. */
    readonly of: string;
    readonly reason: CauseReason;
    /** The cause, as a clause that can follow the pod's name and a colon. */
    readonly what: string;
    /** What shows it, in the words of Kubernetes or of the container's log. Default: `what` says all of it. */
    readonly evidence?: string;
    /** What a person can do, as a command without a full stop. */
    readonly fix: string;
    /** Set if the cause cannot come right without a change by a person. Default: it may. */
    readonly final?: Finality;
}

/** When a cause that cannot come right by itself ends a wait. */
export interface Finality {
    /** For how many seconds every look must have found it: what is missing may be created by the same update. Infinity: it ends none now. */
    readonly afterSeconds: number;
    /** Which occurrence of the cause this is, for what happens again and again. At least two must have been seen. */
    readonly occurrence?: string;
}

/** @returns the cause with its evidence, on one line. */
export function describeCause({ what, evidence }: Pick<Cause, "what" | "evidence">): string {
    return evidence === undefined ? what : `${what} (${oneLine(evidence)})`;
}

const longestEvidence = 400;

/** @returns a text of Kubernetes on one line, and not longer than a message should be. */
export function oneLine(text: string): string {
    const line = text.replace(/\s+/g, " ").trim();
    return line.length > longestEvidence ? `${line.slice(0, longestEvidence)}…` : line;
}
