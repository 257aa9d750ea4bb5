import { memberName } from "../../../topology/names";
import { type Memory, waitingSince } from "./memory";
import type { Move, WaitMove } from "./move";
import type { Observation } from "./observation";
import type { Condition, ProblemCode } from "./problemCodes";
import type { GatePolicy, MemberTarget } from "./target";

/** A wait for something that is not a stage of a single pod. */
export type Wait = WaitWords &
    (
        | { step: Condition; code?: undefined }
        /** `code`: of the failure, where the step is not the name of a condition, or is waited for for several reasons. */
        | { step: string; code: ProblemCode }
    );

interface WaitWords {
    target: string;
    lacks: string;
    advice: string;
    /** Timeout in seconds. Default: `podReadyTimeoutSeconds`. */
    seconds?: number;
}

/** @returns the wait, or a failure once it has timed out. */
export function waitOrFail(
    observation: Observation,
    { policy }: { policy: Pick<GatePolicy, "podReadyTimeoutSeconds"> },
    memory: Memory,
    wait: Wait,
): Move {
    const waiting = waitInTime(observation, { policy }, memory, wait);
    if (waiting.kind === "wait") {
        return { ...waiting, next: wait.advice };
    }
    const code = wait.code === undefined ? wait.step : wait.code;
    const { seen } = waiting;
    return { kind: "fail", problem: { code, step: wait.step, target: wait.target, seen, next: wait.advice } };
}

/** @returns the wait, or what was found once it has timed out. */
export function waitInTime(
    observation: Observation,
    { policy }: { policy: Pick<GatePolicy, "podReadyTimeoutSeconds"> },
    memory: Memory,
    wait: Pick<WaitWords, "target" | "lacks" | "seconds"> & { step: string },
): WaitMove | { kind: "over"; seen: string } {
    const since = waitingSince(memory, wait.step, wait.target, observation.now);
    const until = since + (wait.seconds ?? policy.podReadyTimeoutSeconds) * 1000;
    if (observation.now < until) {
        return { kind: "wait", step: wait.step, target: wait.target, waitingFor: wait.lacks, since, until };
    }
    return { kind: "over", seen: `${wait.lacks}, for ${Math.round((observation.now - since) / 1000)} s` };
}

/** A server that is not a PD never becomes one. A proxy that has just started may, so it gets a few seconds. */
const notPdSeconds = 5;

/** @returns how the wait for PD's answer fails. */
export function codeOfPd(trouble: Observation["pdTrouble"]): ProblemCode {
    return trouble?.isFinal ? "not-pd" : "pd-answers";
}

/** @returns a wait for PD's answer. Nothing that depends on PD is decided without it. */
export function waitForPd(observation: Observation, target: MemberTarget, memory: Memory): Move {
    const trouble = observation.members.pd?.pods.find((pod) => pod.trouble);
    const lacks = observation.pdTrouble?.why ?? "PD has not answered";
    return waitOrFail(observation, target, memory, {
        step: "pd-answers",
        code: codeOfPd(observation.pdTrouble),
        target: memberName(observation.cluster, "pd"),
        lacks: trouble ? `${lacks} (${trouble.name}: ${trouble.trouble})` : lacks,
        advice: observation.pdTrouble?.isFinal
            ? "check where `pd.address` or the port-forward points: it must be PD's client port"
            : "check the PD pods; the cluster is not changed until PD answers",
        ...(observation.pdTrouble?.isFinal ? { seconds: notPdSeconds } : {}),
    });
}

/** @returns the wait for the controller of a StatefulSet: until it has seen the newest generation, its revisions may be earlier ones. */
export function unsettled(statefulSet: string): Wait {
    return {
        step: "statefulset-observed",
        target: statefulSet,
        lacks: `the StatefulSet controller has not seen the newest ${statefulSet}`,
        advice: "check that kube-controller-manager is running, and check the StatefulSet's events",
    };
}
