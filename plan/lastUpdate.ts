import { memberConfigMap } from "../components/kubernetes/configMap";
import { digestsOfData } from "../components/kubernetes/memberFacts";
import type { PlannedGate } from "../components/gatesOf";
import type { RenderedCluster } from "../components/render";
import { KubernetesApiError } from "../provider/cluster/apiCall";
import { isSetOnline } from "../provider/lifecycle/configEffects";
import type { PlanPorts } from "../provider/cluster/gatePorts";
import type { LeaseView } from "../provider/cluster/leaseNotes";
import { lookAtPasswordSecret } from "../provider/gates/looks";
import { withReplacements } from "../provider/lifecycle/failover/records";
import { gates } from "../topology/gates";
import type { Component } from "../topology/members";
import { memberName } from "../topology/names";
import { namespaceOf } from "../components/kubernetes/metadata";
import type { PlanSources } from "./planSources";
import type { Notice } from "../provider/lifecycle/vocabulary/notices";

/** A gate's inputs of the last update, as far as the cluster shows them. Empty if the gate is not deployed. */
export type LastInputs = Readonly<Record<string, unknown>>;

/** Where the last update's inputs are looked for. */
export interface LiveCluster {
    readonly cluster: RenderedCluster;
    /** `undefined` if the cluster is not deployed. */
    readonly lease: LeaseView | undefined;
    readonly ports: PlanPorts;
    readonly sources: PlanSources;
}

/**
 * Reads from the live cluster what `pulumi preview` takes from the stack's state: which gates are deployed, the members that
 * the program had, and the configuration that pods got. What the cluster does not show is left out.
 * @param warn is called if something could not be read.
 */
export async function lastInputs(
    { gate, component, inputs }: PlannedGate,
    live: LiveCluster,
    warn: (notice: Notice) => void,
): Promise<LastInputs> {
    const { lease, cluster } = live;
    const { metadata } = cluster.manifest;
    const identity = { cluster: metadata.name, namespace: namespaceOf(cluster.manifest) };
    if (lease === undefined) {
        return {};
    }
    if (gate === "cluster") {
        return { ...identity, components: Object.keys(lease.members ?? {}) };
    }
    if (gate === "ready") {
        // The cluster does not show whether the last update asked for a last backup.
        return { ...identity, onDestroy: inputs.onDestroy };
    }
    if (gate === "password") {
        const { rootPassword } = await live.ports.look(lookAtPasswordSecret);
        return rootPassword === undefined || rootPassword.secret === "absent" ? {} : identity;
    }
    // The cluster shows nothing of the inputs of the others.
    return gates[gate].place === "member" ? ofMember(component as Component, gate, live, warn) : {};
}

async function ofMember(
    component: Component,
    gate: PlannedGate["gate"],
    { cluster, lease, sources }: LiveCluster,
    warn: (notice: Notice) => void,
): Promise<LastInputs> {
    const { manifest, members } = cluster;
    const facts = members[component]?.facts;
    if (gate === "scale" && !manifest.spec.paused) {
        // What Pulumi has applied: it does not see that somebody has scaled the StatefulSet since.
        const { replicas } = lease?.members?.[component] ?? {};
        return lease === undefined || replicas === undefined
            ? {}
            : {
                  replicas: withReplacements(
                      { cluster: manifest.metadata.name, records: lease.records },
                      { component, replicas },
                  ).replicas,
              };
    }
    // A gate that is not paused asks for the last update only to say which keys of a configuration change.
    if (facts === undefined || (gate !== "rollout" && !manifest.spec.paused)) {
        return {};
    }
    const name = memberName(manifest.metadata.name, component);
    try {
        const found = await sources.liveMember(namespaceOf(manifest), name);
        if (found === undefined) {
            return {};
        }
        const { templateRevision, config: data, configMap } = found;
        // Without `RollingUpdate` the ConfigMap has the name of the StatefulSet.
        const configUpdateStrategy = configMap && (configMap === name ? "InPlace" : "RollingUpdate");
        if (data === undefined) {
            return { component, templateRevision };
        }
        const config = digestsOfData(facts.configKeys, data);
        // Without `operations.rollout.online` a ConfigMap's name ends with the digest of all its data.
        const wasOffline =
            configMap === memberConfigMap(manifest, component, data, "RollingUpdate").metadata.name &&
            Object.keys(config).some((key) => isSetOnline(component, key, true));
        return { component, templateRevision, config, configUpdateStrategy, ...(wasOffline ? {} : { settings: {} }) };
    } catch (error) {
        if (!(error instanceof KubernetesApiError)) {
            throw error;
        }
        const message = `could not find out which keys of ${component}'s configuration change: ${error.message}`;
        warn({ code: "config-not-compared", message });
        return {};
    }
}
