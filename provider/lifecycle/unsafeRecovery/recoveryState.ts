import { notAsked } from "../vocabulary/evidence";
import { heldLeadership } from "../stages/trustedCounts";
import { mostRegionsOfStore } from "../stages/regionVoters";
import { areSameStores, storesInWords } from "../vocabulary/storesInWords";
import type { Look } from "../vocabulary/look";
import type { Observation, ObservedStore } from "../vocabulary/observation";
import { type Objection, whyNotFailed, whyNotHeard } from "./failedStores";
import { isOnRecord, pendingStores, type RecoveryTarget, requestedStores } from "./recoveryTarget";
import { isAtStake, type Stake, stakeOf, storesOfStake } from "./stake";

/** A recovery that is to begin. */
export interface DueRecovery {
    readonly is: "due";
    readonly stores: readonly ObservedStore[];
    readonly stake: Stake;
    /** Why an earlier one did not do: PD has given it up, or lost it. Default: there was none. */
    readonly earlier?: string;
    /** Whether PD has given up the earlier one. Default: no. */
    readonly hasFailed?: true;
}

/** How far the recovery is. Only `due` begins one. */
export type RecoveryState =
    | { readonly is: "over" }
    /** PD runs it, or another one. */
    | { readonly is: "running"; readonly report: string; readonly isOther: boolean }
    /** PD has finished it, and it is not on record yet. */
    | { readonly is: "ended"; readonly stores: readonly number[]; readonly report: string }
    | { readonly is: "look"; readonly at: Look }
    | { readonly is: "kept"; readonly why: Objection }
    | DueRecovery;

const refuse = (refused: string): RecoveryState => ({ is: "kept", why: { refused } });

/**
 * Judges from PD's answers how far the recovery is. PD keeps a recovery only in its leader's memory: that the stores are Tombstone says
 * that one was begun, not that it has finished. So it is over if PD said that it has finished, or if no region that PD knows lacks its majority.
 */
export function recoveryState(observation: Observation, target: RecoveryTarget): RecoveryState {
    const { pd, records, pdClusterId } = observation;
    const pending = pendingStores(target, records);
    if (pending.length === 0) {
        return { is: "over" };
    }
    if (pdClusterId === undefined) {
        return refuse(
            "this cluster was never healthy, so which PD is its own is not on record, and none of its stores can have failed",
        );
    }
    if (!pd.unsafeRecovery.known) {
        return {
            is: "kept",
            why: { lacks: `whether PD runs an unsafe recovery is not known: ${pd.unsafeRecovery.why}` },
        };
    }
    const { stage, failedStores, report } = pd.unsafeRecovery.value;
    const requested = requestedStores(target, observation);
    const isOurs = isOfThese(failedStores, [...pending, ...requested], target);
    if (stage === "running") {
        return { is: "running", report, isOther: !isOurs };
    }
    if (stage === "finished" && isOurs) {
        return { is: "ended", stores: target.failedStores, report };
    }
    const hasFailed = stage === "failed" && isOurs;
    const earlier = hasFailed
        ? report
        : isOnRecord(requested, records)
          ? wordsOnRecord(requested, observation)
          : undefined;
    const left = whatIsLeft(
        observation,
        target,
        { pending, requested },
        { earlier, ...(hasFailed ? { hasFailed } : {}) },
    );
    const concludesFromAbsence = left.is === "over" || left.is === "ended";
    return stage === "finished" && concludesFromAbsence ? { is: "kept", why: { lacks: forgotten } } : left;
}

/** Regions without a leader are not reported, so they stay out of the list that PD has dropped, until another leader of PD reads them. */
const forgotten =
    "PD has finished an unsafe recovery of other stores and has dropped its list of regions, so whether one lacks its majority is not known until PD has another leader (`pd-ctl member leader transfer`)";

/** What is known of a recovery that is on record as begun, and that PD does not show: PD buries the stores of one that it takes at once. */
function wordsOnRecord(stores: readonly number[], { pd: { tombstones } }: Observation): string {
    const tookIt = tombstones.known && stores.every((id) => tombstones.value.some((store) => store.id === id));
    return tookIt
        ? "it is on record as begun, its stores are Tombstone, and PD's leader knows nothing of it, so how it ended is not known"
        : "it is on record as begun, and PD never took it: not all of its stores are Tombstone";
}

/** Whether PD's recovery is of all the stores that one would be asked for now, and of no store that is not named. */
function isOfThese(
    shown: readonly number[] | undefined,
    wanted: readonly number[],
    { failedStores }: RecoveryTarget,
): boolean {
    return (
        shown !== undefined &&
        wanted.every((id) => shown.includes(id)) &&
        shown.every((id) => failedStores.includes(id))
    );
}

function whatIsLeft(
    observation: Observation,
    target: RecoveryTarget,
    { pending, requested }: { pending: readonly number[]; requested: readonly number[] },
    before: Pick<DueRecovery, "earlier" | "hasFailed">,
): RecoveryState {
    const { stores, tombstones, shortRegions } = observation.pd;
    const leadership = heldLeadership(observation);
    if (!leadership.known) {
        return { is: "kept", why: { lacks: `whether PD's answers can be trusted is not known: ${leadership.why}` } };
    }
    if (!stores.known || !tombstones.known) {
        const why = stores.known ? (tombstones as { why: string }).why : stores.why;
        return { is: "kept", why: { lacks: `PD's stores are not known: ${why}` } };
    }
    const all = [...stores.value, ...tombstones.value];
    const unknown = pending.filter((id) => !all.some((store) => store.id === id));
    if (unknown.length > 0) {
        return refuse(`PD knows no ${storesInWords(unknown)}, in any state: see \`pd-ctl store\` for the ids`);
    }
    const named = all.filter(({ id }) => requested.includes(id)).sort((one, other) => one.id - other.id);
    const failed = new Set(target.failedStores);
    const others = stores.value.filter(({ id }) => !failed.has(id));
    const alive = named.filter(({ state }) => state !== "Tombstone");
    for (const store of alive) {
        const why = whyNotFailed(store, others, observation, target);
        if (why !== undefined) {
            return { is: "kept", why };
        }
    }
    // They are listed in one observation, which must not take longer than a step may rely on it.
    const most = named.reduce((sum, { regionCount }) => sum + regionCount, 0);
    if (most > mostRegionsOfStore) {
        return refuse(
            `${storesInWords(requested)} have ${most} replicas of regions, more than can be judged one by one (${mostRegionsOfStore}): recover with pd-ctl unsafe remove-failed-stores`,
        );
    }
    if (!shortRegions.known || !areSameStores(shortRegions.value.ofStores, requested)) {
        const at: Look = { regions: { ofStores: requested } };
        return shortRegions.known || shortRegions === notAsked
            ? { is: "look", at }
            : {
                  is: "kept",
                  why: { lacks: `the regions of ${storesInWords(requested)} are not known: ${shortRegions.why}` },
              };
    }
    const tiflash = new Set(all.filter(({ engine }) => engine === "tiflash").map(({ id }) => id));
    const stake = stakeOf(shortRegions.value.regions, failed, tiflash);
    const buried = tombstones.value.map(({ id }) => id).filter((id) => !failed.has(id));
    const hidden = storesOfStake(stakeOf(shortRegions.value.regions, new Set([...failed, ...buried]), tiflash));
    const unnamed = buried.filter((id) => hidden.has(id)).sort((one, other) => one - other);
    if (unnamed.length > 0) {
        return refuse(
            `regions without a majority have replicas on ${storesInWords(unnamed)} too, Tombstone and not named, which PD would count as alive: name ${storesInWords(unnamed)} too`,
        );
    }
    if (!isAtStake(stake)) {
        return withoutStake(requested, alive, before);
    }
    const unheard = whyNotHeard(others);
    return unheard === undefined ? { is: "due", stores: named, stake, ...before } : { is: "kept", why: unheard };
}

function withoutStake(
    requested: readonly number[],
    alive: readonly ObservedStore[],
    { earlier }: Pick<DueRecovery, "earlier">,
): RecoveryState {
    if (alive.length > 0) {
        return refuse(
            `no region that PD knows has lost its majority with ${storesInWords(requested)}: nothing needs an unsafe recovery. Let PD and failover replace them`,
        );
    }
    const report = "no region that PD knows lacks its majority";
    return earlier === undefined ? { is: "over" } : { is: "ended", stores: requested, report: `${earlier}; ${report}` };
}
