import type { Component } from "../topology/members";
import { beforeUpgradeInputs } from "./backup/beforeUpgrade";
import {
    clusterInputs,
    hasPasswordGate,
    lostNodesInputs,
    passwordInputs,
    readyInputs,
    recoveryInputs,
} from "./gateInputs/clusterGates";
import { rolloutInputs, scaleInputs, settingsInputs, suspendInputs } from "./gateInputs/memberGates";
import type { OperationsArgs } from "./operations";
import type { RenderedCluster } from "./render";
import { inOrderOfGates, isSuspended } from "./suspension";

/** A gate of a cluster: which one it is, and what it gets from the manifest. */
export interface PlannedGate {
    readonly gate:
        | "cluster"
        | "recovery"
        | "lost-nodes"
        | "before-upgrade"
        | "settings"
        | "scale"
        | "rollout"
        | "suspend"
        | "password"
        | "ready";
    /** The member that it is for; undefined for a gate of the whole cluster. */
    readonly component?: Component;
    /** The end of the resource's name, after the TidbCluster's: `tikv-rollout`. */
    readonly name: string;
    readonly inputs: Readonly<Record<string, unknown>>;
}

/** Returns the gates of a cluster in the order in which Pulumi checks them. */
export function gatesOf(cluster: RenderedCluster, operations?: OperationsArgs): PlannedGate[] {
    const { spec } = cluster.manifest;
    const ofMembers = inOrderOfGates(spec).flatMap((member): PlannedGate[] => {
        const { component } = member;
        const name = (gate: string): string => `${component}-${gate}`;
        if (isSuspended(spec, member)) {
            const inputs = suspendInputs(cluster, component, operations);
            return [{ gate: "suspend", component, name: name("suspend"), inputs }];
        }
        const settings = settingsInputs(cluster, component, operations);
        return [
            ...(settings ? [{ gate: "settings", component, name: name("settings"), inputs: settings } as const] : []),
            { gate: "scale", component, name: name("scale"), inputs: scaleInputs(cluster, component, operations) },
            {
                gate: "rollout",
                component,
                name: name("rollout"),
                inputs: rolloutInputs(cluster, component, operations),
            },
        ];
    });
    const { unsafeRecovery, lostNodes = [], backup } = operations ?? {};
    return [
        { gate: "cluster", name: "cluster", inputs: clusterInputs(cluster, operations) },
        ...(unsafeRecovery
            ? [
                  {
                      gate: "recovery",
                      name: "recovery",
                      inputs: recoveryInputs(cluster, unsafeRecovery, operations),
                  } as const,
              ]
            : []),
        ...(lostNodes.length > 0
            ? [
                  {
                      gate: "lost-nodes",
                      name: "lost-nodes",
                      inputs: lostNodesInputs(cluster, lostNodes, operations),
                  } as const,
              ]
            : []),
        ...(backup?.beforeUpgrade
            ? [
                  {
                      gate: "before-upgrade",
                      name: "before-upgrade",
                      inputs: beforeUpgradeInputs(cluster, backup.beforeUpgrade),
                  } as const,
              ]
            : []),
        ...ofMembers,
        ...(hasPasswordGate(spec)
            ? [
                  {
                      gate: "password",
                      component: "tidb",
                      name: "tidb-password",
                      inputs: passwordInputs(cluster, operations),
                  } as const,
              ]
            : []),
        { gate: "ready", name: "ready", inputs: readyInputs(cluster, operations) },
    ];
}
