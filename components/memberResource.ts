import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess } from "../provider/cluster/access";
import { memberLifecycles } from "../provider/lifecycle/members/members";
import type { GatePolicy } from "../provider/lifecycle/vocabulary/target";
import type { Component } from "../topology/members";
import { RolloutGate, ScaleGate, SuspendGate } from "./gates";
import type { PdAccess } from "../provider/cluster/pdAccess";
import type { RenderedMember } from "./kubernetes/member";
import type { KubernetesObject } from "./kubernetes/object";
import { createObject, plannedPart, type Planned } from "./objects";

/** What the gates of every member are told alike. */
export interface GateContext {
    namespace: pulumi.Input<string>;
    cluster: pulumi.Input<string>;
    instance: pulumi.Input<string>;
    /** `spec.clusterDomain`. */
    domain: pulumi.Input<string | undefined>;
    access: pulumi.Input<ClusterAccess>;
    leaseUid: pulumi.Input<string>;
    pd: pulumi.Input<PdAccess>;
    /** There where the cluster is paused: its objects and its pods stay as they are. Only suspension goes on. */
    paused?: true;
}

/** The objects of a member, and how its gates are to be. */
export interface MemberResourceArgs {
    component: Component;
    /** What the names of its objects begin with: `<cluster>-<member>`. */
    objectName: string;
    rendered: Planned<RenderedMember>;
    /** Whether it has no pods for now, hence no StatefulSet. */
    isSuspended: boolean;
    policy: pulumi.Input<GatePolicy>;
    gates: GateContext;
    /** Digest of PD's template, where the cluster has a PD of its own: for members that wait for it to settle. */
    pdTemplateRevision?: pulumi.Input<string>;
    /** The cluster's gate: nothing at all is made of a cluster that it refuses. */
    clusterGate: pulumi.Resource;
}

/** Never changed on a live StatefulSet: Kubernetes would have it deleted and made anew. The ScaleGate refuses a change of them. */
const immutableFields = [
    "podManagementPolicy",
    "revisionHistoryLimit",
    "selector",
    "serviceName",
    "volumeClaimTemplates",
];

/** What ties a member's StatefulSet to its gates. */
interface Rollout {
    statefulSet: k8s.apps.v1.StatefulSet;
    scaleGate: ScaleGate;
    rolloutGate: RolloutGate;
    target: MemberResource["target"];
    templateRevision: pulumi.Output<string>;
}

/**
 * One member of a cluster: a gate before its StatefulSet, its Services, ConfigMap and StatefulSet, and a gate behind
 * it; or, where it is suspended, its Services, its ConfigMap and the gate that takes its pods down. The same for every
 * member; what differs is rendered in the member's folder.
 */
export class MemberResource extends pulumi.ComponentResource {
    /** Its Services. */
    readonly services: k8s.core.v1.Service[];
    /** Its configuration and its start script; some members have none. */
    readonly configMap: k8s.core.v1.ConfigMap | undefined;
    /** Its pods; none while it is suspended. */
    readonly statefulSet: k8s.apps.v1.StatefulSet | undefined;
    /** Lets a new number of replicas through; none while it is suspended. */
    readonly scaleGate: ScaleGate | undefined;
    /** Restarts pods; done when what later members need is there. None while it is suspended. */
    readonly rolloutGate: RolloutGate | undefined;
    /** Takes its pods down; none unless it is suspended. */
    readonly suspendGate: SuspendGate | undefined;
    /** What later members come after. */
    readonly lastGate: pulumi.Resource;
    /** Digest of its pods' template; none while it is suspended. */
    readonly templateRevision: pulumi.Output<string> | undefined;
    /** What the last gate of the cluster waits for; nothing while it is suspended. */
    readonly target: pulumi.Output<{ component: Component; replicas: number; policy: GatePolicy }> | undefined;

    /** @param after what this member comes after: the gates of those it needs. */
    constructor(
        type: string,
        name: string,
        args: MemberResourceArgs,
        after: pulumi.Resource[],
        opts: pulumi.ComponentResourceOptions,
    ) {
        super(`tidb:index:${type}`, name, {}, opts);
        const { component, gates, policy, rendered } = args;
        const child = { parent: this, ...ignoredWhilePaused(gates) };
        this.services = rendered.outline.services.map(({ metadata }, index) =>
            createObject(
                plannedPart(rendered, ({ services }) => services[index]),
                serviceName(name, args.objectName, metadata.name),
                { ...child, dependsOn: [args.clusterGate] },
            ),
        );
        this.configMap =
            rendered.outline.configMap &&
            createObject<k8s.core.v1.ConfigMap>(
                plannedPart(rendered, ({ configMap }) => configMap as KubernetesObject),
                name,
                { ...child, dependsOn: after },
            );
        if (args.isSuspended) {
            this.suspendGate = new SuspendGate(
                `${name}-suspend`,
                // As with tidb-operator, a paused cluster's members are suspended all the same.
                { ...gates, paused: undefined, component, policy },
                { parent: this, dependsOn: after },
            );
            this.lastGate = this.suspendGate;
        } else {
            const made = this.rollOut(name, args, after);
            ({ statefulSet: this.statefulSet, scaleGate: this.scaleGate, rolloutGate: this.rolloutGate } = made);
            this.target = made.target;
            this.templateRevision = made.templateRevision;
            this.lastGate = made.rolloutGate;
        }
        this.registerOutputs({});
    }

    private rollOut(name: string, args: MemberResourceArgs, after: pulumi.Resource[]): Rollout {
        const { component, policy, gates, rendered } = args;
        const facts = rendered.content.apply((member) => member.facts);
        const { comparesVersions, restartsAfter } = memberLifecycles[component];
        const templateRevision = facts.apply(({ templateRevision }) => templateRevision);
        const settling = restartsAfter === undefined ? {} : { pdTemplateRevision: args.pdTemplateRevision };
        const desiredReplicas = facts.apply(({ replicas }) => replicas);
        const version = comparesVersions ? { version: facts.apply(({ version }) => version) } : {};
        const gate = { ...gates, component, desiredReplicas, policy, fixed: facts.apply(({ fixed }) => fixed) };

        const scaleGate = new ScaleGate(`${name}-scale`, gate, { parent: this, dependsOn: after });
        const statefulSet = createObject<k8s.apps.v1.StatefulSet>(
            plannedPart(rendered, (member) => member.statefulSet),
            name,
            {
                parent: this,
                dependsOn: [...after, ...this.services, ...(this.configMap ? [this.configMap] : []), scaleGate],
                ignoreChanges: immutableFields.map((field) => `spec.${field}`),
                ...ignoredWhilePaused(gates),
            },
            (fields) => ({
                ...fields,
                spec: pulumi
                    .all([fields.spec, scaleGate.replicas])
                    .apply(([spec, replicas]) => ({ ...(spec as object), replicas })),
            }),
        );
        const rolloutGate = new RolloutGate(
            `${name}-rollout`,
            {
                ...gate,
                templateRevision,
                ...version,
                ...settling,
                config: facts.apply((known) => known.config()),
            },
            { parent: this, dependsOn: [statefulSet] },
        );
        const target = pulumi
            .all([desiredReplicas, policy])
            .apply(([replicas, patience]) => ({ component, replicas, policy: patience }));
        return { statefulSet, scaleGate, rolloutGate, target, templateRevision };
    }
}

/** @returns the option by which Pulumi leaves the objects of a paused cluster as they are. */
export function ignoredWhilePaused({ paused }: GateContext): { ignoreChanges?: string[] } {
    return paused ? { ignoreChanges: ["*"] } : {};
}

/** The Service `basic-pd-peer` of the member `basic-pd` becomes `<name>-peer`. */
function serviceName(name: string, objectName: string, service: string): string {
    return `${name}${service.slice(objectName.length)}`;
}
