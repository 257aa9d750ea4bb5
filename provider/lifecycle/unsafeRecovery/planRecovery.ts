import { counted } from "../vocabulary/counted";
import type { Observation } from "../vocabulary/observation";
import { storesInWords } from "../vocabulary/storesInWords";
import type { PlanStep } from "../walks/planStep";
import { nameOf } from "./failedStores";
import { type DueRecovery, recoveryState } from "./recoveryState";
import type { RecoveryTarget } from "./recoveryTarget";
import { stakeInWords } from "./stake";

/** PD needs a few heartbeats of every store, of ten seconds each, for each stage. */
const estimateSeconds = 120;

/** @returns the steps that a person must consent to: one recovery, or none. */
export function planRecovery(observation: Observation, target: RecoveryTarget): PlanStep[] {
    const state = recoveryState(observation, target);
    return state.is === "due" ? [recoverStep(state)] : [];
}

/** @returns what a person consents to: more that is lost, or a failure since then, needs another consent. */
export function riskOf({ stake, hasFailed }: DueRecovery): string {
    return `${stakeInWords(stake)}${hasFailed ? "; PD has given up an earlier recovery" : ""}`;
}

function recoverStep(due: DueRecovery): PlanStep {
    const { stores, stake, earlier } = due;
    const ids = stores.map(({ id }) => id);
    const keep = stake.kept === 1 ? "keeps its majority and loses nothing" : "keep their majority and lose nothing";
    const kept = stake.kept === 0 ? "" : `; ${counted(stake.kept, "region")} ${keep}`;
    const again = earlier === undefined ? "" : `; an earlier recovery did not do: ${earlier}`;
    return {
        kind: "recover",
        component: "tikv",
        target: storesInWords(ids),
        why: stores.map((store) => `${nameOf(store)} ${store.state}`).join(", ") + kept + again,
        does: [`make PD remove ${storesInWords(ids)} as failed, and let their regions go on without them`],
        waitsFor: "PD has finished the unsafe recovery",
        estimateSeconds,
        risk: riskOf(due),
    };
}
