import { type NotKnown, notKnown } from "../vocabulary/evidence";
import { fewLeaders } from "../vocabulary/leaderLimits";
import { soundLeaders } from "../stages/trustedCounts";
import { secondsToRegister } from "../stages/outOfPd";
import { storeInPd } from "../stages/storeRemoval";
import { isOnlyStore, isStopped } from "../stages/stores";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import type { MemberTarget } from "../vocabulary/target";
import { type PlanStep, stepInWords } from "../walks/planStep";
import { topology } from "../../../topology/members";
import { podOrdinal } from "../../../topology/podNames";
import { notShown, type Observed, type Rates } from "./rates";

/**
 * How long a plan is expected to take, by what was observed on this cluster; or why nobody can say. `work`: what it is of, if not even
 * a rule of thumb says it: `the backup`.
 */
export type Estimate = ExpectedTime | (NotKnown & { readonly work?: string });

export interface ExpectedTime {
    readonly known: true;
    readonly seconds: number;
    /** The operations in the journal whose rates it is made of, by id, the oldest first. */
    readonly operations: readonly string[];
}

/** The steps that go on side by side, or one that goes on alone. */
type Group = readonly [PlanStep, ...PlanStep[]];

/** The steps of a plan with the time of each, and the time of all. */
export interface TimedSteps {
    readonly steps: readonly PlanStep[];
    readonly estimate: Estimate;
}

/**
 * @returns how long the steps are expected to take: all, and each. Where nobody can say it of one of them, each has its rule of thumb, so
 * the times can be compared with each other.
 */
export function withTimes(
    steps: readonly PlanStep[],
    rates: Rates,
    observation: Observation,
    target: MemberTarget,
): TimedSteps {
    const viewed = (step: PlanStep) => {
        const ordinal = podOrdinal(step.target, observation.cluster, target.component);
        return ordinal === undefined ? undefined : viewOf(observation, target, ordinal);
    };
    const groups = groupsOf(steps);
    const last = groups.filter(isRestart).at(-1);
    const times = groups.map((group) => ({ first: group[0], time: ofGroup(group, rates, viewed, group === last) }));
    const estimate = sum(times.map(({ time }) => time));
    const timed = (step: PlanStep): PlanStep => {
        const time = times.find(({ first }) => first === step)?.time;
        return time?.known === true ? { ...step, expectedSeconds: Math.ceil(time.seconds) } : step;
    };
    return { steps: estimate.known ? steps.map(timed) : steps, estimate };
}

function groupsOf(steps: readonly PlanStep[]): Group[] {
    return steps
        .filter(({ beside }) => beside === undefined)
        .map((first): Group => [first, ...steps.filter(({ beside }) => beside === first.target)]);
}

const isRestart = ([{ kind }]: Group) => kind === "restart" || kind === "move";

/** @param isLast whether no pod restarts after it. */
function ofGroup(
    group: Group,
    rates: Rates,
    viewed: (step: PlanStep) => PodView | undefined,
    isLast: boolean,
): Estimate {
    const [{ kind, isOpenEnded }] = group;
    if (isOpenEnded) {
        return none;
    }
    switch (kind) {
        case "restart":
        case "move":
            return sum([
                { known: true, seconds: group[0].waitSeconds ?? 0, operations: [] },
                ofRestarts(group.map(viewed), rates, isLast),
            ]);
        case "start": {
            const time = sum([timeOf(rates.ready), timeOf(rates.well)]);
            const found = time.known ? time : timeOf(rates.started);
            return found.known ? found : notShown("a start, or a restart, by which one is estimated");
        }
        case "remove":
            return sum([...group.map((step) => drainTime(viewed(step), rates)), timeOf(rates.restRemoval)]);
        case "grow":
            return timeOf(rates.grown);
        case "recreate":
            return timeOf(rates.recreated);
        case "clean-up":
        case "empty-volume":
        case "recover":
        case "renew":
        case "modify":
        case "spare":
        case "give-up":
        case "label":
        case "replace":
        case "set":
        case "suspend":
        case "take-back":
        case "wait":
            return notShown(`how long it takes to ${stepInWords(group[0])}`);
    }
}

/**
 * Stores of one batch stop and start side by side, so their restarts take as long as the longest of them; all are expected to
 * take the time that was observed of one. Their leaders do not move side by side: PD's limits are of all stores together, so
 * the leaders of all of them take the sum of their times.
 */
function ofRestarts(views: readonly (PodView | undefined)[], rates: Rates, isLast: boolean): Estimate {
    return sum([
        timeOf(rates.ready),
        timeOf(rates.well),
        timeOf(rates.restRestart),
        ...views.map((view) => leadersTime(view, rates, isLast)),
    ]);
}

/** The time in which a store's leaders leave, and two thirds of them return. Nothing waits for few to return, or for those of the last store. */
function leadersTime(view: PodView | undefined, rates: Rates, isLast: boolean): Estimate {
    if (view?.target.component !== "tikv") {
        return none;
    }
    const { stores } = view.pd;
    if (!stores.known) {
        return notKnown(`PD's stores are not known: ${stores.why}`);
    }
    if (isOnlyStore(view) || isStopped(view) || !view.store) {
        return none;
    }
    const sound = soundLeaders(view.observation);
    const leaders = sound.known ? sound.value.get(view.store.id) : undefined;
    if (leaders === undefined) {
        return notKnown(`the leaders of ${view.podName} are not known${sound.known ? "" : `: ${sound.why}`}`);
    }
    const returning = isLast || leaders < fewLeaders ? 0 : Math.floor((leaders * 2) / 3);
    return sum([timeOfMoving(leaders, rates.evicted), timeOfMoving(returning, rates.returned)]);
}

function drainTime(view: PodView | undefined, rates: Rates): Estimate {
    if (view === undefined || topology[view.target.component].engine === undefined) {
        return none;
    }
    const { stores } = view.pd;
    if (!stores.known) {
        return notKnown(`PD's stores are not known: ${stores.why}`);
    }
    return view.store === undefined
        ? { known: true, seconds: secondsToRegister(view, storeInPd), operations: [] }
        : timeOfMoving(view.store.regionCount, rates.drained);
}

const none: Estimate = { known: true, seconds: 0, operations: [] };

function timeOf(time: Observed): Estimate {
    return time.known ? { known: true, seconds: time.value, operations: time.operations } : time;
}

function timeOfMoving(count: number, rate: Observed): Estimate {
    if (count === 0) {
        return none;
    }
    return rate.known ? { known: true, seconds: count / rate.value, operations: rate.operations } : rate;
}

/** Missing one part, nobody can say how long the whole takes. */
function sum(parts: readonly Estimate[]): Estimate {
    const missing = parts.find((one) => !one.known);
    if (missing !== undefined) {
        return missing;
    }
    const known = parts.filter((one) => one.known);
    return {
        known: true,
        seconds: known.reduce((all, { seconds }) => all + seconds, 0),
        operations: [...new Set(known.flatMap(({ operations }) => operations))].sort(),
    };
}
