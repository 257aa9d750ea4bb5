import type { ProgramInputs } from "../provider/gates/inputs";
import { type ExtraInput, type ClusterGateName, gates, type PlacedGate, possibleGates } from "../topology/gates";
import type { Component } from "../topology/members";
import { beforeUpgradeInputs } from "./backup/beforeUpgrade";
import type { GateContext } from "./gateContext";
import { clusterInputs, lostNodesInputs, passwordInputs, readyInputs, recoveryInputs } from "./gateInputs/clusterGates";
import { runs } from "./gateInputs/ofOperations";
import { rolloutInputs, scaleInputs, settingsInputs, suspendInputs } from "./gateInputs/memberGates";
import type { OperationsArgs } from "./operations";
import type { RenderedCluster } from "./render";
import { inOrderOfGates } from "./suspension";

/** The inputs that some gates get in addition to those from the manifest. */
export type KnownToProgram = Pick<ProgramInputs["cluster"] & ProgramInputs["suspend"], ExtraInput<ClusterGateName>>;

/** The inputs that come from the manifest. */
type FromManifest<Name extends ClusterGateName> = Omit<
    ProgramInputs[Name],
    keyof GateContext | ExtraInput<Name> | "gate" | "isPreview" | "statusUrn"
>;

/** @returns what a gate gets of a cluster's manifest; `undefined` if the cluster does not have the gate. */
type InputsOf<Name extends ClusterGateName> = (
    cluster: RenderedCluster,
    operations: OperationsArgs | undefined,
    component: Component,
) => FromManifest<Name> | undefined;

/** When a cluster has each gate, and what the gate gets: for its resource in a program, and for `pulumi-tidb plan`. */
const rows: { readonly [Name in ClusterGateName]: InputsOf<Name> } = {
    cluster: clusterInputs,
    recovery: recoveryInputs,
    "lost-nodes": lostNodesInputs,
    "before-upgrade": beforeUpgradeInputs,
    settings: whileRunning(settingsInputs),
    scale: whileRunning(scaleInputs),
    rollout: whileRunning(rolloutInputs),
    suspend: (cluster, operations, component) =>
        runs(cluster.manifest.spec, component) ? undefined : suspendInputs(cluster, component, operations),
    password: passwordInputs,
    ready: readyInputs,
};

function whileRunning<Inputs>(
    inputs: (cluster: RenderedCluster, component: Component, operations: OperationsArgs | undefined) => Inputs,
) {
    return (cluster: RenderedCluster, operations: OperationsArgs | undefined, component: Component) =>
        runs(cluster.manifest.spec, component) ? inputs(cluster, component, operations) : undefined;
}

/** A gate of a cluster: which one it is, and what it gets from the manifest. */
export interface PlannedGate extends PlacedGate {
    readonly inputs: Readonly<Record<string, unknown>>;
}

/** @returns what a gate gets from the manifest; `undefined` if the cluster does not have it. */
export function inputsOf(
    { gate, component }: PlacedGate,
    cluster: RenderedCluster,
    operations: OperationsArgs | undefined,
): PlannedGate["inputs"] | undefined {
    // Only the gates of members use the member.
    return rows[gate](cluster, operations, component as Component) as PlannedGate["inputs"] | undefined;
}

/** Returns the gates of a cluster in the order in which Pulumi checks them. */
export function gatesOf(cluster: RenderedCluster, operations?: OperationsArgs): PlannedGate[] {
    const members = inOrderOfGates(cluster.manifest.spec).map(({ component }) => component);
    return possibleGates(members).flatMap((placed) => {
        const inputs = inputsOf(placed, cluster, operations);
        return inputs === undefined ? [] : [{ ...placed, inputs }];
    });
}

/** @returns those of `known` that the gate gets. */
export function extraInputs<Known extends object>(gate: ClusterGateName, known: Known): Partial<Known> {
    const gets: readonly string[] = gates[gate].gets ?? [];
    return Object.fromEntries(Object.entries(known).filter(([key]) => gets.includes(key))) as Partial<Known>;
}
