import { isDeepStrictEqual } from "node:util";
import * as gates from "../../../provider/gates/gates";

type Values = Record<string, unknown>;

/** A gate in Pulumi's state. */
export interface GateState {
    inputs: Values;
    outputs: Values;
}

/** @returns whether Pulumi updates the gate. It compares the inputs itself where the gate's answer leaves `changes` out. */
export async function isUpdated({ inputs, outputs }: GateState, news: Values): Promise<boolean> {
    const { changes } = await gates.diff("", outputs, news);
    return changes ?? !isDeepStrictEqual(inputs, news);
}

/** @returns whether a refresh shows the gate: Pulumi asks what an update with the inputs of the last one would do. */
export function isShownByRefresh(state: GateState): Promise<boolean> {
    return isUpdated(state, state.inputs);
}
