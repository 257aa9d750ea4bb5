import { emptyMemory, type Memory } from "../../../provider/lifecycle/vocabulary/memory";
import type { Observation, ObservedRegion, RecoveryRecord } from "../../../provider/lifecycle/vocabulary/observation";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { nextRecoveryMove } from "../../../provider/lifecycle/unsafeRecovery/nextRecovery";
import type { RecoveryTarget } from "../../../provider/lifecycle/unsafeRecovery/recoveryTarget";
import { downFor, goneNode, minutes } from "./deaths";
import { type Deviation, inShort, observed, storeOf } from "./observations";

/** A cluster of four TiKV stores, 10 to 13, of which 11 and 12 are lost with their nodes. */

export const target: RecoveryTarget = {
    failedStores: [11, 12],
    neverComeBack: true,
    timeoutSeconds: 600,
    policy: defaultPolicy,
};

/** A region with a voter on each of these stores. */
export function region(id: number, voters: readonly number[], more: Partial<ObservedRegion> = {}): ObservedRegion {
    return { id, peers: voters.map((storeId) => ({ storeId, role: "voter", isBehind: false })), ...more };
}

/** Region 1 has lost its majority, region 2 every replica, and region 3 keeps its majority. */
const regions = [region(3, [10, 11, 13]), region(1, [10, 11, 12], { mebibytes: 96 }), region(2, [11, 12])];

export const lost: Deviation = {
    pods: { 1: goneNode(60 * minutes), 2: goneNode(60 * minutes) },
    stores: { 1: downFor(minutes), 2: downFor(minutes) },
    regionsOf: { stores: [11, 12], regions },
};
/** The same after PD has been told: its stores are Tombstone. */
export const buried: Deviation = {
    ...lost,
    stores: { 1: undefined, 2: undefined },
    tombstones: [1, 2].map((ordinal) => storeOf(ordinal, { ...downFor(minutes), state: "Tombstone" })),
};

export function recorded(unsafeRecovery: RecoveryRecord): Observation["records"] {
    return { ...noRecords(), unsafeRecovery };
}

export const begun = recorded({ finished: [], begun: { stores: [11, 12], at: 1 } });

/** @returns the observation of a cluster that was healthy before. */
export function seen(row: Deviation): Observation {
    return { ...observed("tikv", row).observation, pdClusterId: "7" };
}

/** @returns the next move in short, and what a failed one found. */
export function nextSeen(row: Deviation, more: Partial<RecoveryTarget> = {}, memory: Memory = emptyMemory): string[] {
    const move = nextRecoveryMove(seen(row), { ...target, ...more }, memory);
    return move.kind === "fail" ? [`fail ${move.problem.code}`, move.problem.seen] : [inShort(move)];
}

/** @returns the next move in short. */
export function next(...of: Parameters<typeof nextSeen>): string {
    return nextSeen(...of)[0];
}
