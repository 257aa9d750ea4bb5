import type { GatePorts } from "../cluster/gatePorts";
import type { ClaimFacts } from "../lifecycle/diagnosis/facts";
import { growingIn, judgeGrowth } from "../lifecycle/diagnosis/growingClaims";
import { type Diagnosed, judgeWait, mayEnd, remembered } from "../lifecycle/diagnosis/judgeWait";
import { waitedPods } from "../lifecycle/diagnosis/waitedPods";
import type { Move } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";

/** A pod that Kubernetes reports a problem of is diagnosed after this time: most problems of a start are over by then. */
const troubledMilliseconds = 5_000;
/** A pod that starts without a problem is diagnosed only if that takes long. */
const slowMilliseconds = 45_000;
/** Between two readings: of pods that have changed, or while one more reading can end the wait; and of others. */
const soonMilliseconds = 5_000;
const laterMilliseconds = 30_000;
/** Pods of one template have the same cause. A wait for more pods does not end early. */
const mostPods = 20;

/**
 * Diagnoses the pods that a run waits for, and the claims whose volumes grow, if they are not right after some seconds. A wait that goes as it should costs no call.
 */
export class WaitDiagnosis {
    private diagnosed: Diagnosed = {};
    /** The pods that are waited for now, since when, and what was read of them. */
    private waited: { readonly key: string; readonly since: number } | undefined;
    private read: { readonly at: number; readonly versions: string } | undefined;

    /** The claims that grew when they were read last. */
    private claims: readonly ClaimFacts[] = [];

    private hasWarned = false;

    constructor(private readonly ports: Pick<GatePorts, "diagnose" | "progress">) {}

    /** @returns the move with what the diagnoses have found. */
    judge(move: Move, observation: Observation): Move {
        try {
            return judgeGrowth(judgeWait(move, observation, this.diagnosed), observation, this.claims);
        } catch (error) {
            this.goOn(error);
            return move;
        }
    }

    /**
     * Reads what the diagnosis needs, if it is time. A diagnosis only explains a wait, so one that fails is warned of and left out.
     * @param move the wait that was decided, before it was judged.
     */
    async look(move: Move, observation: Observation): Promise<void> {
        await this.lookCloser(move, observation).catch((error: unknown) => this.goOn(error));
    }

    private async lookCloser(move: Move, observation: Observation): Promise<void> {
        const pods = waitedPods(move, observation)?.pods ?? [];
        const growing = growingIn(move, observation);
        const key = [...pods.map(({ name, pod }) => `${name} ${pod?.uid}`), ...growing].join();
        const { now } = observation;
        if (this.waited?.key !== key) {
            this.waited = { key, since: now };
        }
        if (this.ports.diagnose === undefined || key === "") {
            return;
        }
        const isTroubled = pods.some(
            ({ pod }) => pod === undefined || (pod.trouble ?? pod.sidecarTrouble) !== undefined,
        );
        const versions = pods.map(({ pod }) => pod?.resourceVersion).join();
        const pause =
            this.read?.versions !== versions || mayEnd(move, observation, this.diagnosed)
                ? soonMilliseconds
                : laterMilliseconds;
        const begins = this.waited.since + (isTroubled ? troubledMilliseconds : slowMilliseconds);
        if (now < begins || now - (this.read?.at ?? -Infinity) < pause) {
            return;
        }
        this.read = { at: now, versions };
        const facts = await this.ports.diagnose({
            pods: pods.slice(0, mostPods).map(({ component, name }) => ({ component, name })),
            certificates: false,
            ...(growing.length > 0 ? { growing } : {}),
        });
        this.claims = facts.claims ?? [];
        this.diagnosed = remembered(this.diagnosed, facts, now);
    }

    private goOn(error: unknown): void {
        if (!this.hasWarned) {
            this.hasWarned = true;
            const message = `what keeps pods from being Ready is not known: the diagnosis failed: ${(error as Error).message}`;
            this.ports.progress.warn({ code: "diagnosis-failed", message });
        }
    }
}
