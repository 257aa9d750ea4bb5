import { components, topology } from "../../../topology/members";
import type { Action } from "../vocabulary/actions";
import { mapFact, notKnown } from "../vocabulary/evidence";
import type { LeaderLimits } from "../vocabulary/leaderLimits";
import { isOnSilentNode, scaledTo } from "../vocabulary/actions/foreseen";
import type { Observation } from "../vocabulary/observation";
import { mayLackLeaders } from "../vocabulary/observedPd";
import type { Settings } from "../vocabulary/settings";
import { viewOf } from "../vocabulary/stage";
import { type MemberTarget, sideBySide } from "../vocabulary/target";
import { mayHaveTakenBackRemoval, nextScaleMove, ordinalsOf } from "../walks/scale";
import { isReplaced, restartsIn } from "../walks/wantedTemplate";
import { withAddedTemplates } from "../stages/podVolumes";
import { actionsOf, type Decide, dryRun, type DryRunning } from "./dryRun";

/**
 * Runs a rollout dry, after what the update does before it.
 * @param decide the decider of the rollout.
 * @param before what the gates of other members change. Default: nothing. The scale-in of the member itself is run dry here.
 */
export function* dryRollout(
    decide: Decide,
    live: Observation,
    target: MemberTarget,
    before: (live: Observation) => Observation = (seen) => seen,
): DryRunning {
    const begins = (seen: Observation) => before(withoutEarlierBatch(seen, target));
    if (!isScaledFirst(live, target)) {
        return yield* dryRun(decide, live, (seen) => afterPulumi(begins(seen), target));
    }
    const scaled = yield* dryRun((seen, memory) => nextScaleMove(seen, target, memory), live, begins);
    // The gate before shows where it is held. What would come after that is not known.
    return scaled.end.is === "done" && !leavesOpen(actionsOf(scaled), target)
        ? yield* dryRun(decide, scaled.live, (seen) => afterPulumi(scaled.foreseen(seen), target))
        : { ...scaled, moves: [], end: { is: "not foreseen" } };
}

/** After these, PD moves regions, which decide which stores may restart side by side. */
const movesRegions: ReadonlySet<Action["do"]> = new Set(["remove-store", "delete-claims"]);

/** @returns whether what the rollout does depends on how soon PD has moved regions, or a pod that got an empty volume has started. */
function leavesOpen(scaling: readonly Action[], target: MemberTarget): boolean {
    const isProven = topology[target.component].engine !== undefined && sideBySide(target) !== 1;
    return scaling.some(({ do: does }) => does === "delete-pod" || (isProven && movesRegions.has(does)));
}

/** @returns whether a pod that is scaled away is on a node that does not answer: the rollout waits until it is back. */
export function waitsForStop({ members }: Observation, { component, replicas }: MemberTarget): boolean {
    return (members[component]?.pods ?? []).some((pod) => pod.ordinal >= replicas && isOnSilentNode(pod));
}

/** @returns whether pods leave before the rollout, or a removal may be taken back. */
export function isScaledFirst(live: Observation, target: MemberTarget): boolean {
    return ordinalsOf(live, target).leaving.length > 0 || mayHaveTakenBackRemoval(live, target);
}

/** @returns the cluster without the batch of a member that comes before: its gate ends it first. There is one record of batches. */
function withoutEarlierBatch(seen: Observation, { component }: MemberTarget): Observation {
    const { batch, ...records } = seen.records;
    return batch !== undefined && components.indexOf(batch.component) < components.indexOf(component)
        ? { ...seen, records }
        : seen;
}

/**
 * @returns the cluster right after PD has a new leader, to which every region must first be reported, by its leader. While some have none, PD may
 * not load its schedulers.
 */
export function withPdRestarted({ pd, ...seen }: Observation): Observation {
    const areSilent = pd.stores.known && mayLackLeaders(pd.stores.value);
    // Which member that is, is decided by the gate of PD.
    const leadership = mapFact(pd.leadership, (one) => ({
        ...one,
        leader: "PD's new leader",
        heldFor: 0,
        hasSchedulers: one.hasSchedulers && !areSilent,
    }));
    const evictedStores = areSilent ? notKnown("PD's new leader may not load its schedulers") : pd.evictedStores;
    return { ...seen, pd: { ...pd, leadership, evictedStores } };
}

/** PD's setting that a restart of a store raises for a time. */
const leaderLimit = "schedule.leader-schedule-limit";

/** @returns the cluster once PD has these settings, as far as they concern how fast leaders move. */
export function withLimitSet({ pd, ...seen }: Observation, settings: Settings): Observation {
    const limit = Number(settings[leaderLimit] ?? NaN);
    const set = (limits: LeaderLimits) => ({ ...limits, "leader-schedule-limit": limit });
    return { ...seen, pd: Number.isNaN(limit) ? pd : { ...pd, leaderLimits: mapFact(pd.leaderLimits, set) } };
}

/** The revision of a template that Pulumi has not written yet. */
const nextRevision = "the next revision";

/** @returns the cluster once Pulumi has written the template and the number of replicas that the program asks for. */
function afterPulumi(live: Observation, target: MemberTarget): Observation {
    const observation = withAddedTemplates(live, target);
    const member = observation.members[target.component];
    const statefulSet = member?.statefulSet;
    if (member === undefined || statefulSet === undefined) {
        return observation;
    }
    const isOther = isReplaced(observation, target);
    const restarts = restartsIn(observation, target);
    const pods = member.pods.map((pod) =>
        isOther && !restarts(viewOf(observation, target, pod.ordinal)) ? { ...pod, revision: nextRevision } : pod,
    );
    const written = isOther
        ? { ...statefulSet, updateRevision: nextRevision, image: withTag(statefulSet.image, target.tag) }
        : statefulSet;
    return {
        ...observation,
        members: {
            ...observation.members,
            [target.component]: {
                ...member,
                pods: scaledTo(target.replicas, pods),
                statefulSet: { ...written, replicas: target.replicas, settled: true },
            },
        },
    };
}

function withTag(image: string | undefined, tag: string | undefined): string | undefined {
    return image === undefined || tag === undefined ? image : image.replace(/(:[^:/@]+)?(@.*)?$/, `:${tag}`);
}
