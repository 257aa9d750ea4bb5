import type { DryRun } from "../dryRun/dryRun";
import { type DueStep, planSteps, type PlannedSteps } from "../dryRun/planSteps";
import { counted } from "../vocabulary/counted";
import type { Observation } from "../vocabulary/observation";
import { storesInWords } from "../vocabulary/storesInWords";
import { nameOf } from "./failedStores";
import { type DueRecovery, recoveryState } from "./recoveryState";
import { type RecoveryTarget, requestedStores } from "./recoveryTarget";
import { stakeInWords } from "./stake";

/** @returns what is due: the recovery, which a person must consent to, or the end of what PD runs; none once it is over. */
export function dueRecovery(observation: Observation, target: RecoveryTarget): DueStep[] {
    const state = recoveryState(observation, target);
    const wait = (why: string, more: Partial<DueStep> = {}): DueStep[] => {
        const on = storesInWords(requestedStores(target, observation));
        return [{ kind: "wait", component: "tikv", target: on, why, ...more }];
    };
    switch (state.is) {
        case "over":
        case "look":
            return [];
        case "running":
            return state.isOther
                ? wait("PD runs an unsafe recovery of other stores", { isOpenEnded: true })
                : wait("PD runs their unsafe recovery");
        case "ended":
            return wait("PD has finished their unsafe recovery");
        case "kept":
            return "refused" in state.why ? [] : wait("whether PD can recover is not known", { isOpenEnded: true });
        case "due":
            return [recoverStep(state)];
    }
}

/** @returns the steps of the plan, as their dry run has them. */
export function planRecovery(run: DryRun, target: RecoveryTarget): PlannedSteps {
    return planSteps(run, dueRecovery(run.live, target), run.live, {
        component: "tikv",
        why: () => "an earlier unsafe recovery",
    });
}

/** @returns what a person consents to: more that is lost, or a failure since then, needs another consent. */
export function riskOf({ stake, hasFailed }: DueRecovery): string {
    return `${stakeInWords(stake)}${hasFailed ? "; PD has given up an earlier recovery" : ""}`;
}

function recoverStep(due: DueRecovery): DueStep {
    const { stores, stake, earlier } = due;
    const keep = stake.kept === 1 ? "keeps its majority and loses nothing" : "keep their majority and lose nothing";
    const kept = stake.kept === 0 ? "" : `; ${counted(stake.kept, "region")} ${keep}`;
    const again = earlier === undefined ? "" : `; an earlier recovery did not do: ${earlier}`;
    return {
        kind: "recover",
        component: "tikv",
        target: storesInWords(stores.map(({ id }) => id)),
        why: stores.map((store) => `${nameOf(store)} ${store.state}`).join(", ") + kept + again,
        waitsFor: "PD has finished the unsafe recovery",
        risk: () => riskOf(due),
    };
}
