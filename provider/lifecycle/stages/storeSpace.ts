import { counted } from "../vocabulary/counted";
import type { Observation, ObservedPlacement, ObservedStore } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { bytesInWords } from "../vocabulary/bytesInWords";
import type { Engine } from "../../../topology/members";
import { isUp, leavingStores, stayingStores, wasUpRecently } from "./stores";

/**
 * Which stores have too little free space to take regions (`schedule.low-space-ratio`). PD moves no region to them, and says so nowhere: a
 * removal then waits without an end. Rule: tikv/pd pkg/core/store.go, `IsLowSpace`.
 */

/** PD lets a store with fewer regions than this fill up as long as it has more bytes free than that. */
const fewRegions = 100;
const enoughBytes = 8 * 1024 ** 3;

/** The disk of a store, and how many regions it holds. */
export type StoreDisk = Pick<ObservedStore, "capacityBytes" | "availableBytes" | "regionCount">;

/** @returns whether PD moves no region to the store because its disk is too full; `undefined` if not known. */
export function isLowOnSpace(store: StoreDisk, placement: ObservedPlacement): boolean | undefined {
    const left = bytesUntilLow(store, placement);
    return left === undefined ? undefined : left < 0;
}

/** @returns how many bytes the store takes until PD moves no more to it; negative if it takes none; `undefined` if not known. */
function bytesUntilLow(
    { capacityBytes, availableBytes, regionCount }: StoreDisk,
    { lowSpaceRatio }: ObservedPlacement,
): number | undefined {
    if (!capacityBytes || availableBytes === undefined || lowSpaceRatio === undefined) {
        return undefined;
    }
    const share = availableBytes - (1 - lowSpaceRatio) * capacityBytes;
    return regionCount < fewRegions && availableBytes > enoughBytes
        ? Math.max(share, availableBytes - enoughBytes)
        : share;
}

/** @returns the stores to which PD moves no region, with their free space: `store 4 (basic-tikv-2, 12% free)`; `undefined` if there is none. */
function lowStoresInWords(stores: readonly ObservedStore[], placement: ObservedPlacement): string | undefined {
    const low = stores.filter((store) => isLowOnSpace(store, placement) === true);
    const shown = low.slice(0, 2).map(({ id, podName, capacityBytes = 1, availableBytes = 0 }) => {
        return `store ${id} (${podName}, ${Math.floor((100 * availableBytes) / capacityBytes)}% free)`;
    });
    const more = low.length - shown.length;
    return low.length === 0 ? undefined : `${shown.join(", ")}${more > 0 ? ` and ${counted(more, "other")}` : ""}`;
}

/** @returns the limit in words: `under 20% free (schedule.low-space-ratio)`. */
function lowSpaceInWords({ lowSpaceRatio = 0 }: ObservedPlacement): string {
    return `under ${Math.round(100 * (1 - lowSpaceRatio))}% free (schedule.low-space-ratio)`;
}

/**
 * @returns why the regions of leaving stores whose removal has not begun have no place on the others; `undefined` if some store takes
 * them, or if that is not known.
 */
export function noRoomFor(
    observation: Observation,
    target: MemberTarget,
    engine: Engine,
    leaving: readonly ObservedStore[],
): string | undefined {
    const { placement } = observation.pd;
    const staying = stayingStores(observation, target, engine, wasUpRecently);
    const toBegin = leaving.filter(({ state }) => state !== "Offline");
    return placement.known && staying ? noneTakes(toBegin, staying, placement.value) : undefined;
}

/** @returns why the regions of the leaving stores have no place: every store that stays is low on space. `undefined` if some takes them. */
function noneTakes(
    leaving: readonly ObservedStore[],
    staying: readonly ObservedStore[],
    placement: ObservedPlacement,
): string | undefined {
    const regions = leaving.reduce((sum, { regionCount }) => sum + regionCount, 0);
    const isFull = staying.length > 0 && staying.every((store) => isLowOnSpace(store, placement) === true);
    return regions > 0 && isFull
        ? `no other store takes regions: ${lowStoresInWords(staying, placement)}, ${lowSpaceInWords(placement)}`
        : undefined;
}

/** @returns the end of a sentence on regions that must leave a store: which other stores take none. Empty if all do, or if not known. */
export function takesNone({ observation, target }: PodView, engine: Engine): string {
    const { placement } = observation.pd;
    const staying = stayingStores(observation, target, engine, isUp);
    const low = placement.known && staying && lowStoresInWords(staying, placement.value);
    return placement.known && low ? `; PD moves none to ${low}: ${lowSpaceInWords(placement.value)}` : "";
}

/** @returns which stores are low on space, for a plan that adds one to them; `undefined` if none is, or if that is not known. */
export function lowBeforeAdding({ pd }: Observation, engine: Engine): string | undefined {
    const { placement, stores } = pd;
    if (!placement.known || !stores.known) {
        return undefined;
    }
    const low = lowStoresInWords(
        stores.value.filter((store) => store.engine === engine && isUp(store)),
        placement.value,
    );
    return low && `PD moves no region to ${low}: ${lowSpaceInWords(placement.value)}`;
}

/** What a scale-in must move, and what the stores that stay take until PD moves no more to them. In bytes. */
interface SpaceNeeded {
    readonly moves: number;
    readonly room: number;
}

/** @returns how much must move, and how much the others take, if that is less; `undefined` if it fits, or if that is not known. */
function missingSpace(observation: Observation, target: MemberTarget, engine: Engine): SpaceNeeded | undefined {
    const { placement } = observation.pd;
    const staying = stayingStores(observation, target, engine, wasUpRecently);
    if (!placement.known || staying === undefined) {
        return undefined;
    }
    const used = leavingStores(observation, target).map(({ usedBytes }) => usedBytes);
    const rooms = staying.map((store) => bytesUntilLow(store, placement.value));
    const moves = sumOf(used);
    const room = sumOf(rooms.map((bytes) => (bytes === undefined ? undefined : Math.max(0, bytes))));
    return moves === undefined || room === undefined || room >= moves ? undefined : { moves, room };
}

function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
    return numbers.reduce<number | undefined>(
        (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
        0,
    );
}

/** @returns the risk of a scale-in whose data does not fit on the stores that stay. It has no figures: a consent to the plan covers them. */
export function spaceRisk({ observation, target }: PodView, engine: Engine): string | undefined {
    return missingSpace(observation, target, engine) === undefined
        ? undefined
        : "the other stores have too little free space for what must move: PD stops half way, and the removal waits until space is freed";
}

/** @returns the figures of that risk, in words; undefined if all fits, or if that is not known. */
export function missingSpaceInWords(
    observation: Observation,
    target: MemberTarget,
    engine: Engine,
): string | undefined {
    const missing = missingSpace(observation, target, engine);
    return (
        missing &&
        `what leaves has ${bytesInWords(missing.moves)} in all; the others take ${bytesInWords(missing.room)}`
    );
}
