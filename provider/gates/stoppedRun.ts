import type { GatePorts } from "../cluster/gatePorts";
import { GateError } from "./gateError";

/** @returns why the run stops at its next safe point; `undefined` if nothing stops it. */
export function whyStopped({ progress }: Pick<GatePorts, "progress">, askedBy: string | undefined): string | undefined {
    if (progress.abandoned) {
        return "Pulumi has exited, so the run stopped at a safe point";
    }
    return askedBy === undefined ? undefined : `${askedBy} asked the run to stop at a safe point`;
}

/** A run that stops because it was asked to, or because nobody is left to read its messages. */
export class StoppedRun extends GateError {}

/** @returns the error of a run that stops: the next one continues. */
export function stoppedRun(
    { description, command = "`pulumi up`" }: { description: string; command?: string },
    seen: string,
): StoppedRun {
    return new StoppedRun({ code: "stopped", step: description, seen, next: `run ${command} to continue from here` });
}
