import { memberName } from "../../../topology/names";
import { type Memory, waitingSince } from "./memory";
import type { Move } from "./move";
import type { Observation } from "./observation";
import type { GatePolicy, MemberTarget } from "./target";

/** Something waited for that belongs to no single pod's stages. */
export interface Wait {
    step: string;
    target: string;
    lacks: string;
    advice: string;
    /** How long, in seconds. Default: `podReadyTimeoutSeconds`. */
    seconds?: number;
}

/** @returns a wait, or the failure that it becomes when its time is over. */
export function waitOrFail(
    observation: Observation,
    { policy }: { policy: Pick<GatePolicy, "podReadyTimeoutSeconds"> },
    memory: Memory,
    wait: Wait,
): Move {
    const since = waitingSince(memory, wait.step, wait.target, observation.now);
    const until = since + (wait.seconds ?? policy.podReadyTimeoutSeconds) * 1000;
    if (observation.now < until) {
        return { kind: "wait", step: wait.step, target: wait.target, waitingFor: wait.lacks, since, until };
    }
    const seen = `${wait.lacks}, for ${Math.round((observation.now - since) / 1000)} s`;
    return { kind: "fail", problem: { step: wait.step, target: wait.target, seen, next: wait.advice } };
}

/** What answers as no PD does never becomes one; a proxy that has just started may, so that it gets a moment. */
const notPdSeconds = 5;

/** @returns a wait for PD's answer: nothing that needs its word is decided without it. */
export function waitForPd(observation: Observation, target: MemberTarget, memory: Memory): Move {
    const trouble = observation.members.pd?.pods.find((pod) => pod.trouble);
    const lacks = observation.pdTrouble?.why ?? "PD has not answered";
    return waitOrFail(observation, target, memory, {
        step: "pd-answers",
        target: memberName(observation.cluster, "pd"),
        lacks: trouble ? `${lacks} (${trouble.name}: ${trouble.trouble})` : lacks,
        advice: observation.pdTrouble?.isFinal
            ? "check what `pd.address`, or the port-forward, leads to: it must be PD's client port"
            : "look at the PD pods; nothing is done to the cluster while PD cannot be asked",
        ...(observation.pdTrouble?.isFinal ? { seconds: notPdSeconds } : {}),
    });
}
