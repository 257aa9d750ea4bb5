import type { StepNeeds } from "../lifecycle/vocabulary/lock";
import { describeAction, isBookkeeping, isOptional, isTold, isTriedAgain } from "../lifecycle/vocabulary/actions";
import { recordsAfter, recordsBefore, recordsRefused } from "../lifecycle/vocabulary/actions";
import type { Action } from "../lifecycle/vocabulary/actions";
import type { ActMove } from "../lifecycle/vocabulary/move";
import type { Observation, OperationRecords } from "../lifecycle/vocabulary/observation";
import { isRefusal } from "../cluster/apiCall";
import { TidbRefusal } from "../cluster/tidbLabels";
import { PdError } from "../pd/pdError";
import { GateError } from "./gateError";
import type { GatePorts, HeldLock } from "../cluster/gatePorts";

/** An action to take: its step, its target, and the locks it needs. */
export interface StepAction {
    action: Action;
    step: string;
    target: string;
    needs: StepNeeds;
    /** Names of the conditions that held, for the journal. Default: it depends on none. */
    held?: readonly string[];
}

/** @returns which locks a step needs that was decided from this observation. */
export function needsOf(
    observation: Observation,
    { action, withoutPd }: Pick<ActMove, "action" | "withoutPd">,
): StepNeeds {
    const { usesPd, isAlone } = pdNeeds(observation);
    return { usesPd: usesPd && !isBookkeeping(action) && !withoutPd, isAlone };
}

/** @returns which locks a run needs that acts, or waits alone, by PD's answers in this observation. */
export function pdNeeds({ pd }: Observation): StepNeeds {
    const { stores, members, leader, leadership, evictedStores, pumps, microservices } = pd;
    const asked = [stores, members, leader, leadership, evictedStores, pumps, ...Object.values(microservices)];
    const ownStores = stores.known && stores.value.every(({ own }) => own);
    const ownMembers = members.known && members.value.every(({ podName }) => podName !== undefined);
    return {
        usesPd: asked.some(({ known }) => known),
        isAlone: ownStores && (ownMembers || !members.known),
    };
}

/**
 * Takes one action, and writes the records that must survive a crash before and after it.
 * @returns the records after the action.
 * @throws GateError if the action is refused or not answered; Error if the lock is lost.
 */
export async function takeAction(
    { action, step, target, needs }: StepAction,
    records: OperationRecords,
    ports: GatePorts,
    lock: HeldLock,
): Promise<OperationRecords> {
    await lock.confirmHeld(needs);
    ports.progress[isTold(action) ? "info" : "status"](describeAction(action));
    const before = recordsBefore(records, action, ports.now());
    try {
        if (before !== records) {
            await lock.keepRecords(before);
        }
        await ports.perform(action);
        const after = recordsAfter(before, action, ports.now());
        if (after !== before) {
            await lock.keepRecords(after);
        }
        return after;
    } catch (error) {
        const refused = isRefused(error) ? recordsRefused(before, action) : before;
        if (refused !== before) {
            // Best effort: the run ends with what PD said, and the next one judges what is on record by PD's stores.
            await lock.keepRecords(refused).catch(() => undefined);
        }
        const seen = `could not ${describeAction(action)}: ${(error as Error).message}`;
        const correct =
            action.do === "set-settings" ? "if a server refuses the value, correct it in the program; " : "";
        const next = `${correct}run \`pulumi up\` again: it continues from the cluster's current state`;
        throw new GateError({ code: "action-failed", step, target, seen, next }, { cause: error });
    }
}

/** @returns what PD refused, in words, if a run goes on without the action; undefined for any other error. */
export function refusedWithoutHarm(action: Action, error: unknown): string | undefined {
    return isOptional(action) ? refusalIn(error) : undefined;
}

/** @returns what PD, TiDB or the API server refused and what the run does then, in words, if it does not end by that; undefined for any other error. */
export function toleratedRefusal(action: Action, error: unknown): string | undefined {
    const seen = isOptional(action)
        ? refusalIn(error, (cause) => isRefused(cause) || isRefusal(cause))
        : isTriedAgain(action)
          ? refusalIn(error)
          : undefined;
    return seen && `${seen}. ${isOptional(action) ? "The run goes on without it" : "It is tried again"}`;
}

/** @returns what the API server refused, in words, if an update goes on without that growth of volumes; undefined for any other error. */
export function refusedGrowth(action: Action, error: unknown): string | undefined {
    const mayBe = action.do === "grow-claims" && action.mayBeRefused === true;
    return mayBe && error instanceof GateError && isRefusal(error.cause) ? error.problem.seen : undefined;
}

function refusalIn(error: unknown, isRefusedBy = isRefused): string | undefined {
    return error instanceof GateError && isRefusedBy(error.cause) ? error.problem.seen : undefined;
}

const isRefused = (error: unknown) =>
    error instanceof TidbRefusal || (error instanceof PdError && error.code === "PD_REFUSED");
