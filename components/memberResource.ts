import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess } from "../provider/cluster/access";
import { noSpread, revisionWith } from "../provider/lifecycle/vocabulary/spread";
import type { Component } from "../topology/members";
import { gateArgs } from "./gateArgs";
import { rolloutInputs, scaleInputs, settingsInputs, suspendInputs } from "./gateInputs/memberGates";
import { RolloutGate, ScaleGate, SettingsGate, SuspendGate } from "./gates";
import type { PdAccess } from "../provider/cluster/pdAccess";
import type { RenderedMember } from "./kubernetes/member";
import type { KubernetesObject } from "./kubernetes/object";
import { withSpread } from "./kubernetes/spread";
import { createObject, plannedPart, type Planned } from "./objects";
import type { OperationsArgs } from "./operations";
import type { RenderedCluster } from "./render";

/**
 * Arguments that the gates of all members share.
 * @internal
 */
export interface GateContext {
    namespace: pulumi.Input<string>;
    cluster: pulumi.Input<string>;
    instance: pulumi.Input<string>;
    /** `spec.clusterDomain`. */
    domain: pulumi.Input<string | undefined>;
    access: pulumi.Input<ClusterAccess>;
    leaseUid: pulumi.Input<string>;
    pd: pulumi.Input<PdAccess>;
    /** Set if the cluster is paused: its objects and pods are not changed. Members can still be suspended. */
    paused?: true;
}

/**
 * The objects of a member and the arguments of its gates.
 * @internal
 */
export interface MemberResourceArgs {
    component: Component;
    /** Prefix of the names of its objects: `<cluster>-<member>`. */
    objectName: string;
    rendered: Planned<RenderedMember>;
    /** Whether it is suspended and has no StatefulSet. */
    isSuspended: boolean;
    /** The whole cluster, from which the gates get their inputs. */
    cluster: Planned<RenderedCluster>;
    operations: OperationsArgs | undefined;
    /** Whether the cluster is given Pulumi's `protect`. */
    isProtected: boolean;
    gates: GateContext;
    /** The ClusterGate. If it refuses the cluster, none of the member's resources is created. */
    clusterGate: pulumi.Resource;
}

/** Fields that cannot change on a live StatefulSet without deleting and recreating it. The ScaleGate refuses a change of them. */
const immutableFields = [
    "podManagementPolicy",
    "revisionHistoryLimit",
    "selector",
    "serviceName",
    "volumeClaimTemplates",
];

type PlacedParts = Pick<KubernetesObject, "metadata" | "spec">;

/** A member's StatefulSet and its gates. */
interface Rollout {
    statefulSet: k8s.apps.v1.StatefulSet;
    scaleGate: ScaleGate;
    rolloutGate: RolloutGate;
    templateRevision: pulumi.Output<string>;
}

/**
 * A member of a cluster: its Services, ConfigMap and StatefulSet, with a gate before and a gate after the StatefulSet. A
 * suspended member has its Services, its ConfigMap and the gate that removes its pods. This class is the same for every
 * member; the member's folder renders what differs.
 */
export class MemberResource extends pulumi.ComponentResource {
    /** Services of the member. */
    readonly services: k8s.core.v1.Service[];
    /** Configuration and start script of the member. Some members have none. */
    readonly configMap: k8s.core.v1.ConfigMap | undefined;
    /**
     * Budget that lets a drain take no more than a gate would. None unless `operations.disruptionBudgets` is `gates`, nor while the
     * member is suspended.
     */
    readonly disruptionBudget: k8s.policy.v1.PodDisruptionBudget | undefined;
    /** StatefulSet with the member's pods. None while the member is suspended. */
    readonly statefulSet: k8s.apps.v1.StatefulSet | undefined;
    /**
     * Gate that sets settings on running servers before the ConfigMap says the same. None unless `operations.rollout.online` is
     * true and the member has settings that can be set on running servers, nor while the member is suspended.
     */
    readonly settingsGate: SettingsGate | undefined;
    /** Gate that allows a new number of replicas. None while the member is suspended. */
    readonly scaleGate: ScaleGate | undefined;
    /** Gate that restarts pods. It completes once later members can rely on this member. None while the member is suspended. */
    readonly rolloutGate: RolloutGate | undefined;
    /** Gate that removes the member's pods. None unless the member is suspended. */
    readonly suspendGate: SuspendGate | undefined;
    /** Last gate of the member. Later members depend on it. */
    readonly lastGate: pulumi.Resource;
    /** Digest of the pod template that the program asks for. None while the member is suspended. */
    readonly templateRevision: pulumi.Output<string> | undefined;

    /**
     * @param after resources that this member depends on: the gates of the members that it needs.
     * @internal
     */
    constructor(
        type: string,
        name: string,
        args: MemberResourceArgs,
        after: pulumi.Resource[],
        opts: pulumi.ComponentResourceOptions,
    ) {
        super(`tidb:index:${type}`, name, {}, opts);
        const { component, gates, operations, rendered } = args;
        const child = { parent: this, ...ignoredWhilePaused(gates) };
        this.services = rendered.outline.services.map(({ metadata }, index) =>
            createObject(
                plannedPart(rendered, ({ services }) => services[index]),
                serviceName(name, args.objectName, metadata.name),
                { ...child, dependsOn: [args.clusterGate] },
            ),
        );
        this.settingsGate = args.isSuspended ? undefined : this.setOnline(name, args, after);
        const afterSettings = this.settingsGate ? [...after, this.settingsGate] : after;
        this.configMap =
            rendered.outline.configMap &&
            createObject<k8s.core.v1.ConfigMap>(
                plannedPart(rendered, ({ configMap }) => configMap as KubernetesObject),
                name,
                { ...child, dependsOn: afterSettings },
            );
        if (args.isSuspended) {
            this.suspendGate = new SuspendGate(
                `${name}-suspend`,
                // As in tidb-operator, members of a paused cluster can be suspended.
                {
                    ...gates,
                    paused: undefined,
                    ...gateArgs(plannedPart(args.cluster, (cluster) => suspendInputs(cluster, component, operations))),
                    ...(args.isProtected ? { isProtected: true as const } : {}),
                },
                { parent: this, dependsOn: after },
            );
            this.lastGate = this.suspendGate;
        } else {
            this.disruptionBudget =
                rendered.outline.disruptionBudget &&
                createObject<k8s.policy.v1.PodDisruptionBudget>(
                    plannedPart(rendered, (member) => member.disruptionBudget as KubernetesObject),
                    name,
                    { ...child, dependsOn: [args.clusterGate] },
                );
            const rollout = this.rollOut(name, args, afterSettings);
            ({ statefulSet: this.statefulSet, scaleGate: this.scaleGate, rolloutGate: this.rolloutGate } = rollout);
            this.templateRevision = rollout.templateRevision;
            this.lastGate = rollout.rolloutGate;
        }
        this.registerOutputs({});
    }

    private setOnline(
        name: string,
        { cluster, component, operations, gates }: MemberResourceArgs,
        after: pulumi.Resource[],
    ): SettingsGate | undefined {
        if (settingsInputs(cluster.outline, component, operations) === undefined) {
            return undefined;
        }
        const inputs = plannedPart(
            cluster,
            (rendered) =>
                settingsInputs(rendered, component, operations) as NonNullable<ReturnType<typeof settingsInputs>>,
        );
        return new SettingsGate(
            `${name}-settings`,
            { ...gates, ...gateArgs(inputs) },
            { parent: this, dependsOn: after },
        );
    }

    private rollOut(name: string, args: MemberResourceArgs, after: pulumi.Resource[]): Rollout {
        const { component, operations, gates, rendered } = args;
        const scale = plannedPart(args.cluster, (cluster) => scaleInputs(cluster, component, operations));
        const roll = plannedPart(args.cluster, (cluster) => rolloutInputs(cluster, component, operations));

        // Pulumi deletes what comes first last: the names of the pods outlive them, so they can reach each other while they stop.
        const scaleGate = new ScaleGate(
            `${name}-scale`,
            { ...gates, ...gateArgs(scale) },
            { parent: this, dependsOn: [...after, ...this.services] },
        );
        const spread = scaleGate.fixed.apply(({ spread: added = noSpread }) => added);
        const templateRevision = pulumi
            .all([rendered.content, spread])
            .apply(([{ facts }, added]) => revisionWith(facts.templateRevision, added));
        const statefulSet = createObject<k8s.apps.v1.StatefulSet>(
            plannedPart(rendered, (member) => member.statefulSet),
            name,
            {
                parent: this,
                dependsOn: [...after, ...this.services, ...(this.configMap ? [this.configMap] : []), scaleGate],
                ignoreChanges: immutableFields.map((field) => `spec.${field}`),
                ...ignoredWhilePaused(gates),
            },
            (fields) => {
                const planned = pulumi
                    .all([fields.metadata, fields.spec, spread])
                    .apply(([metadata, spec, added]) => withSpread({ metadata, spec } as PlacedParts, added));
                // Field by field: a number of replicas that a preview does not know must not hide the others.
                const names = [...Object.keys(rendered.outline.statefulSet.spec as object), "volumeClaimTemplates"];
                const spec = names.map((name) => [name, planned.apply((parts): unknown => parts.spec[name])]);
                return {
                    ...fields,
                    metadata: planned.metadata,
                    spec: { ...Object.fromEntries(spec), replicas: scaleGate.replicas },
                };
            },
        );
        const rolloutGate = new RolloutGate(
            `${name}-rollout`,
            { ...gates, ...gateArgs(roll), templateRevision },
            { parent: this, dependsOn: [statefulSet] },
        );
        return { statefulSet, scaleGate, rolloutGate, templateRevision };
    }
}

/**
 * @returns the option with which Pulumi does not change the objects of a paused cluster.
 * @internal
 */
export function ignoredWhilePaused({ paused }: GateContext): { ignoreChanges?: string[] } {
    return paused ? { ignoreChanges: ["*"] } : {};
}

/** @returns the resource name of a Service: the Service `basic-pd-peer` of the member `basic-pd` becomes `<name>-peer`. */
function serviceName(name: string, objectName: string, service: string): string {
    return `${name}${service.slice(objectName.length)}`;
}
