import { topology } from "../../../topology/members";
import { memberLifecycles } from "../members/memberLifecycles";
import { notAsked } from "../vocabulary/evidence";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewsOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import type { FailoverPolicy, MemberFailover, Verdict } from "../vocabulary/memberFailover";
import { podVerdict } from "./podVerdict";
import { crashLoopFor, isInCrashLoop } from "./crashLoop";
import { failuresOf } from "./records";
import { vanishedAt } from "../stages/failover/tidbFailover";
import { bothSay, timeLeft } from "../stages/failover/verdict";
import { neverRan } from "../stages/stores";

/** A pod that is dead, and why. */
export interface Dead {
    readonly view: PodView;
    readonly why: string;
}

/** Why a pod that seems dead is not replaced now: by what is known of it, or by what holds for all that are dead. */
interface Kept {
    readonly by: Exclude<Verdict["is"], "dead"> | Hold;
    readonly words: string;
}

type Hold =
    "switched-off" | "not-settled" | "ordered-ready" | "evidence-unsound" | "vanished-together" | "budget-used-up";

/** The dead pods of a member whose replacement may begin now, and the others that seem dead. */
export interface Deaths {
    readonly toReplace: readonly Dead[];
    readonly kept: readonly Kept[];
    /** The seconds after which the next of these others is dead if it stays so. Default: none is about to be. */
    readonly dueInSeconds?: number | undefined;
}

const none: Deaths = { toReplace: [], kept: [] };

/**
 * Finds the dead of one member. Replacements are not replaced: a pod that the program does not ask for is not looked at.
 * @param target the member as the program asks for it, without replacements.
 */
export function findDead(observation: Observation, target: MemberTarget, policy: FailoverPolicy): Deaths {
    const { failover } = memberLifecycles[target.component];
    const suspects = failover ? suspectsOf(observation, target) : [];
    if (failover === undefined || suspects.length === 0) {
        return none;
    }
    const period = policy.periodSeconds * 1000;
    const found = suspects.map((view) => {
        const both = verdictsOf(failover, view, period);
        return { view, both, verdict: bothSay(...both) };
    });
    const kept = found.flatMap(({ view, both, verdict }) =>
        verdict.is !== "dead" && both.some(isBad) ? [whyKept(failover.named(view), verdict, policy)] : [],
    );
    const dead = found.flatMap(({ view, verdict }) => (verdict.is === "dead" ? [{ view, why: verdict.why }] : []));
    const waits = found.flatMap(({ verdict }) => (verdict.is === "dying" ? [verdict.seconds] : []));
    const dueInSeconds = waits.length === 0 ? undefined : Math.min(...waits);
    const held = (which: readonly Dead[], by: Hold, why: string) =>
        which.map((one): Kept => ({
            by,
            words: `${failover.named(one.view)} is dead (${one.why}), and is not replaced by a failover: ${why}`,
        }));
    const hold = (by: Hold, why: string): Deaths => ({
        dueInSeconds,
        toReplace: [],
        kept: [...kept, ...held(dead, by, why)],
    });
    const against = dead.length === 0 ? undefined : whyNone(observation, target, policy, failover);
    if (against !== undefined) {
        return hold(...against);
    }
    const live = observation.members[target.component]?.statefulSet?.replicas ?? 0;
    const silent = unrecorded(observation, target).filter(
        (view) =>
            view.ordinal < live &&
            !hasNeverServed(view) &&
            (view.pod?.ready !== true || mayCrashAgain(view, policy) || isBad(failover.verdict(view, period))),
    );
    const together = dead.find(({ view }) => vanishedWith(failover, view, silent, period) > policy.budget);
    if (together) {
        const many = vanishedWith(failover, together.view, silent, period);
        const within = timeLeft(policy.periodSeconds);
        return hold(
            "vanished-together",
            `${many} vanished within ${within}, more than maxFailoverCount allows (${policy.budget})`,
        );
    }
    const left = Math.max(0, policy.budget - failuresOf(observation, target).length);
    const beyond = held(dead.slice(left), "budget-used-up", `maxFailoverCount (${policy.budget}) is used up`);
    return { dueInSeconds, toReplace: dead.slice(0, left), kept: [...kept, ...beyond] };
}

function verdictsOf(failover: MemberFailover, view: PodView, period: number): readonly [Verdict, Verdict] {
    return [failover.verdict(view, period), podVerdict(view, period, failover)];
}

/**
 * @returns what is known of a pod whose failure is on record, but of which nothing has been removed: `dead` if its replacement may
 * go on, `alive` if the record no longer holds, `unknown` if nothing may be done.
 */
export function stillDead(view: PodView, policy: FailoverPolicy): "dead" | "alive" | "unknown" {
    const { failover } = memberLifecycles[view.target.component];
    if (failover === undefined || policy.budget === 0) {
        return "alive";
    }
    const { is } = bothSay(...verdictsOf(failover, view, policy.periodSeconds * 1000));
    return is !== "dying" ? is : mayCrashAgain(view, policy) ? "unknown" : "alive";
}

/** @returns whether the pod has restarted and not been Ready for a whole period since: neither is it back, nor has its clock begun again. */
export function mayCrashAgain({ pod }: PodView, { periodSeconds }: Pick<FailoverPolicy, "periodSeconds">): boolean {
    return pod !== undefined && isInCrashLoop(pod, periodSeconds * 1000);
}

const switchedOff = "failover is switched off";

function isBad({ is }: Verdict): boolean {
    return is === "dead" || is === "dying";
}

/** @returns the pods that the program asks for, without those on record. */
function unrecorded(observation: Observation, target: MemberTarget): PodView[] {
    const recorded = new Set(failuresOf(observation, target).map(({ pod }) => pod));
    return viewsOf(observation, target).filter(({ podName }) => !recorded.has(podName));
}

/** @returns those that Kubernetes does not show as Ready: only these can be dead. */
function suspectsOf(observation: Observation, target: MemberTarget): PodView[] {
    return unrecorded(observation, target).filter(({ pod }) => pod?.ready !== true);
}

/** @returns whether pods that the program asks for may be dead, from what Kubernetes alone shows; then PD is worth asking. */
export function maySeemDead(observation: Observation, target: MemberTarget): boolean {
    return suspectsOf(observation, target).some(({ pod }) => pod !== undefined);
}

/** @returns whether an observation lacks what tells a dead pod from one that only starts. */
export function mustAskDeaths(observation: Observation, target: MemberTarget): boolean {
    return suspectsOf(observation, target).some(lacksDeath);
}

/** @returns whether an observation lacks what tells whether this pod is dead. */
export function lacksDeath({ pod, pd }: PodView): boolean {
    return pod !== undefined && !pod.ready && !(pd.members !== notAsked && pod.death);
}

function whyKept(named: string, verdict: Exclude<Verdict, { is: "dead" }>, { budget }: FailoverPolicy): Kept {
    if (verdict.is !== "dying") {
        return { by: verdict.is, words: `${named} is not replaced by a failover: ${verdict.why}` };
    }
    const seems = `${named} seems dead (${verdict.why})`;
    return budget === 0
        ? { by: "switched-off", words: `${seems}, and is not replaced by a failover: ${switchedOff}` }
        : { by: "dying", words: `${seems}: it is replaced if that lasts ${timeLeft(verdict.seconds)} more` };
}

function whyNone(
    observation: Observation,
    { component }: MemberTarget,
    { budget }: FailoverPolicy,
    failover: MemberFailover,
): [Hold, string] | undefined {
    const statefulSet = observation.members[component]?.statefulSet;
    if (budget === 0) {
        return ["switched-off", switchedOff];
    }
    if (!statefulSet?.settled) {
        return ["not-settled", "the StatefulSet controller has not seen the newest template"];
    }
    if (statefulSet.fixed.podManagementPolicy === "OrderedReady") {
        return [
            "ordered-ready",
            "podManagementPolicy is OrderedReady, so no pod starts while another one is not Ready",
        ];
    }
    const unsound = failover.unsound(observation);
    return unsound === undefined ? undefined : ["evidence-unsound", unsound];
}

/** A store that never was cannot have vanished: its pod has not run yet, and PD lists none for it. */
function hasNeverServed(view: PodView): boolean {
    const { pd, stores, target } = view;
    const isListed = topology[target.component].engine === undefined || !pd.stores.known || stores.length > 0;
    return !isListed && neverRan(view);
}

/**
 * @returns how many vanished within one period of this one, itself included, by the member's own clock or by Kubernetes': PD keeps a
 * store's heartbeat only every 5 minutes (storePersistInterval), so another leader may have earlier ones. One of unknown time counts.
 */
function vanishedWith(failover: MemberFailover, dead: PodView, all: readonly PodView[], period: number): number {
    const apart = (view: PodView) => {
        const [one, other] = [failover.vanishedAt(dead), failover.vanishedAt(view)];
        return one === undefined || other === undefined ? 0 : Math.abs(one - other);
    };
    const isTogether = (view: PodView) => apart(view) <= period || mayBeTogether(dead, view, period);
    return all.filter(isTogether).length;
}

/** @returns whether both can have vanished within one period as Kubernetes sees them. A crash loop is at least as old as its waits show. */
function mayBeTogether(one: PodView, other: PodView, period: number): boolean {
    const ends = [one, other].map((view) => {
        const last = vanishedAt(view);
        const loop = view.pod && crashLoopFor(view.pod, period, view.observation.now);
        const at = last === undefined || loop === undefined ? last : Math.min(last, -loop);
        return { at, mayBeEarlier: mayCrashAgain(view, { periodSeconds: period / 1000 }) };
    });
    const [first, later] = ends.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
    return first.at !== undefined && later.at !== undefined && (later.mayBeEarlier || later.at - first.at <= period);
}
