import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { noSpread, revisionWith, type Spread } from "../provider/lifecycle/vocabulary/spread";
import type { Component } from "../topology/members";
import type { MakeGate } from "./gateMaker";
import type { Gate, ScaleGate } from "./gates";
import type { RenderedMember } from "./kubernetes/member";
import type { KubernetesObject } from "./kubernetes/object";
import { withSpread } from "./kubernetes/spread";
import { createObject, plannedPart, type Planned } from "./objects";

/**
 * The objects of a member and the arguments of its gates.
 * @internal
 */
export interface MemberResourceArgs {
    component: Component;
    /** Prefix of the names of its objects: `<cluster>-<member>`. */
    objectName: string;
    rendered: Planned<RenderedMember>;
    gate: MakeGate;
    /** The options with which Pulumi does not change the objects of a paused cluster. */
    whilePaused: pulumi.CustomResourceOptions;
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
    readonly settingsGate: Gate | undefined;
    /** Gate that allows a new number of replicas. None while the member is suspended. */
    readonly scaleGate: ScaleGate | undefined;
    /** Gate that restarts pods. It completes once later members can rely on this member. None while the member is suspended. */
    readonly rolloutGate: Gate | undefined;
    /** Gate that removes the member's pods. None unless the member is suspended. */
    readonly suspendGate: Gate | undefined;
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
        const { component, gate, rendered, whilePaused } = args;
        const afterCluster = { parent: this, ...whilePaused, dependsOn: [args.clusterGate] };
        this.services = rendered.outline.services.map(({ metadata }, index) =>
            createObject(
                plannedPart(rendered, ({ services }) => services[index]),
                serviceName(name, args.objectName, metadata.name),
                afterCluster,
            ),
        );
        this.settingsGate = gate("settings", { parent: this, dependsOn: after }, component);
        const afterSettings = this.settingsGate ? [...after, this.settingsGate] : after;
        this.configMap =
            rendered.outline.configMap &&
            createObject<k8s.core.v1.ConfigMap>(
                plannedPart(rendered, ({ configMap }) => configMap as KubernetesObject),
                name,
                { parent: this, ...whilePaused, dependsOn: afterSettings },
            );
        this.suspendGate = gate("suspend", { parent: this, dependsOn: after }, component);
        this.disruptionBudget =
            this.suspendGate === undefined && rendered.outline.disruptionBudget
                ? createObject<k8s.policy.v1.PodDisruptionBudget>(
                      plannedPart(rendered, (member) => member.disruptionBudget as KubernetesObject),
                      name,
                      afterCluster,
                  )
                : undefined;
        // Pulumi deletes what comes first last: the names of the pods outlive them, so they can reach each other while they stop.
        const beforeSet = [...afterSettings, ...this.services];
        this.scaleGate = gate("scale", { parent: this, dependsOn: beforeSet }, component);
        if (this.scaleGate) {
            const spread = this.scaleGate.fixed.apply(({ spread: added = noSpread }) => added);
            const dependsOn = [...beforeSet, ...(this.configMap ? [this.configMap] : []), this.scaleGate];
            this.statefulSet = createStatefulSet(name, rendered, this.scaleGate.replicas, spread, {
                parent: this,
                dependsOn,
                ignoreChanges: immutableFields.map((field) => `spec.${field}`),
                ...whilePaused,
            });
            const templateRevision = pulumi
                .all([rendered.content, spread])
                .apply(([{ facts }, added]) => revisionWith(facts.templateRevision, added));
            this.templateRevision = templateRevision;
            const afterSet = { parent: this, dependsOn: [this.statefulSet] };
            this.rolloutGate = gate("rollout", afterSet, component, { templateRevision });
        }
        // A member is suspended, or it has a RolloutGate.
        this.lastGate = (this.suspendGate ?? this.rolloutGate) as Gate;
        this.registerOutputs({});
    }
}

/** Creates a member's StatefulSet, with the replicas and the default constraints that its ScaleGate allows. */
function createStatefulSet(
    name: string,
    rendered: Planned<RenderedMember>,
    replicas: pulumi.Output<number>,
    spread: pulumi.Output<Spread>,
    opts: pulumi.CustomResourceOptions,
): k8s.apps.v1.StatefulSet {
    return createObject<k8s.apps.v1.StatefulSet>(
        plannedPart(rendered, (member) => member.statefulSet),
        name,
        opts,
        (fields) => {
            const planned = pulumi
                .all([fields.metadata, fields.spec, spread])
                .apply(([metadata, spec, added]) => withSpread({ metadata, spec } as PlacedParts, added));
            // Field by field: a number of replicas that a preview does not know must not hide the others.
            const names = [...Object.keys(rendered.outline.statefulSet.spec as object), "volumeClaimTemplates"];
            const spec = names.map((field) => [field, planned.apply((parts): unknown => parts.spec[field])]);
            return {
                ...fields,
                metadata: planned.metadata,
                spec: { ...Object.fromEntries(spec), replicas },
            };
        },
    );
}

/** @returns the resource name of a Service: the Service `basic-pd-peer` of the member `basic-pd` becomes `<name>-peer`. */
function serviceName(name: string, objectName: string, service: string): string {
    return `${name}${service.slice(objectName.length)}`;
}
