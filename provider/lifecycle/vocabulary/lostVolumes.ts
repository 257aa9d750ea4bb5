import type { LostVolumes } from "./failureRecord";
import type { OperationRecords } from "./observation";

/** @returns the records with the volumes of a pod that are given up. */
export function withLostVolumes(records: OperationRecords, pod: string, lost: LostVolumes): OperationRecords {
    return { ...records, lostVolumes: { ...records.lostVolumes, [pod]: lost } };
}

/** @returns the records without those of a pod: it starts empty, or nothing was given up. */
export function withoutLostVolumes({ lostVolumes, ...others }: OperationRecords, pod: string): OperationRecords {
    const left = Object.entries(lostVolumes ?? {}).filter(([one]) => one !== pod);
    return left.length === 0 ? others : { ...others, lostVolumes: Object.fromEntries(left) };
}
