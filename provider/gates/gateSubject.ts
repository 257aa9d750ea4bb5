import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import type { CommonInputs } from "./gateDefinition";
import { unknownPath } from "./inputs";

/** @returns the name of the StatefulSet or cluster that a gate is for. */
export function subjectOf(inputs: Record<string, unknown>): string {
    const name = clusterOf(inputs as unknown as CommonInputs);
    return typeof inputs.component === "string" ? memberName(name, inputs.component as Component) : name;
}

/** @returns the cluster's name. While it is not known yet, the name of the gate's resource. */
export function clusterOf({ cluster, statusUrn }: CommonInputs): string {
    return unknownPath(cluster) === undefined ? cluster : (statusUrn.split("::").at(-1) ?? statusUrn);
}
