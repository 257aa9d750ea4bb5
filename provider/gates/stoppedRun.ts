import type { GatePorts } from "../cluster/gatePorts";
import { GateError } from "./gateError";

/** @returns why the run stops at its next safe point; `undefined` if nothing stops it. */
export function whyStopped({ progress }: Pick<GatePorts, "progress">, askedBy: string | undefined): string | undefined {
    if (progress.abandoned) {
        return "Pulumi has exited, so the run stopped at a safe point";
    }
    return askedBy === undefined ? undefined : `${askedBy} asked the run to stop at a safe point`;
}

/** @returns the error of a run that stops: the next one continues. */
export function stoppedRun(
    { description, command = "`pulumi up`" }: { description: string; command?: string },
    seen: string,
): GateError {
    return new GateError({ step: description, seen, next: `run ${command} to continue from here` });
}
