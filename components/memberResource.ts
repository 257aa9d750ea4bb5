import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess } from "../provider/cluster/access";
import type { PdAccess } from "../provider/gates/inputs";
import { memberLifecycles } from "../provider/lifecycle/members";
import type { Component } from "../provider/lifecycle/observation";
import type { FixedFields } from "../provider/lifecycle/fixedFields";
import type { GatePolicy } from "../provider/lifecycle/target";
import { configDigests } from "./configDigests";
import { RolloutGate, ScaleGate } from "./gates";
import { canonicalQuantity } from "./kubernetes/quantity";
import { templateRevisionAnnotation } from "./kubernetes/templateRevision";
import { createObject, type PlannedObject } from "./objects";

/** What the gates of every member are told alike. */
export interface GateContext {
    namespace: pulumi.Input<string>;
    cluster: pulumi.Input<string>;
    instance: pulumi.Input<string>;
    access: pulumi.Input<ClusterAccess>;
    leaseUid: pulumi.Input<string>;
    pd: pulumi.Input<PdAccess>;
}

/** The objects of a member, and how its gates are to be. */
export interface MemberResourceArgs {
    component: Component;
    services: PlannedObject[];
    configMap: PlannedObject | undefined;
    statefulSet: PlannedObject;
    policy: pulumi.Input<GatePolicy>;
    gates: GateContext;
}

/** Never changed on a live StatefulSet: Kubernetes would have it deleted and made anew. The ScaleGate refuses a change of them. */
const IMMUTABLE = ["podManagementPolicy", "revisionHistoryLimit", "selector", "serviceName", "volumeClaimTemplates"];

/**
 * One member of a cluster: a gate before its StatefulSet, its Services, ConfigMap and StatefulSet, and a gate behind
 * it. The same for every member; what differs is rendered in the member's folder.
 */
export class MemberResource extends pulumi.ComponentResource {
    /** Its Services. */
    readonly services: k8s.core.v1.Service[];
    /** Its configuration and its start script; some members have none. */
    readonly configMap: k8s.core.v1.ConfigMap | undefined;
    /** Its pods. */
    readonly statefulSet: k8s.apps.v1.StatefulSet;
    /** Lets a new number of replicas through. */
    readonly scaleGate: ScaleGate;
    /** Restarts pods; done when what later members need is there. */
    readonly rolloutGate: RolloutGate;
    /** What the last gate of the cluster waits for. */
    readonly target: pulumi.Output<{
        component: Component;
        replicas: number;
        policy: GatePolicy;
    }>;

    /** @param after what this member comes after: the gates of those it needs. */
    constructor(
        type: string,
        name: string,
        args: MemberResourceArgs,
        after: pulumi.Resource[],
        opts: pulumi.ComponentResourceOptions,
    ) {
        super(`pulumi-tidb:index:${type}`, name, {}, opts);
        const child: pulumi.CustomResourceOptions = { parent: this };
        const ordered: pulumi.CustomResourceOptions = { ...child, dependsOn: after };
        const { content } = args.statefulSet;
        const templateRevision = content.apply(
            (object) => object.metadata.annotations?.[templateRevisionAnnotation] ?? "",
        );
        const desiredReplicas = content.apply((object) => object.spec.replicas as number);
        const { component, policy } = args;
        const version = memberLifecycles[component].comparesVersions
            ? { version: content.apply((object) => versionOf(object.spec.template.spec, component)) }
            : {};
        const fixed = content.apply((object) => fixedFields(object.spec as Record<string, unknown>));
        const config = args.configMap ? args.configMap.content.apply(configDigests) : {};
        const gate = { ...args.gates, component, desiredReplicas, policy, fixed };

        this.services = args.services.map((service) =>
            createObject(service, childName(name, service, this.baseName(args)), child),
        );
        this.configMap = args.configMap && createObject<k8s.core.v1.ConfigMap>(args.configMap, name, ordered);
        this.scaleGate = new ScaleGate(`${name}-scale`, gate, ordered);
        this.statefulSet = createObject(
            args.statefulSet,
            name,
            {
                ...child,
                dependsOn: [...after, ...this.services, ...(this.configMap ? [this.configMap] : []), this.scaleGate],
                ignoreChanges: IMMUTABLE.map((field) => `spec.${field}`),
            },
            (fields) => ({
                ...fields,
                spec: pulumi
                    .all([fields.spec, this.scaleGate.replicas])
                    .apply(([spec, replicas]) => ({ ...(spec as object), replicas })),
            }),
        );
        this.rolloutGate = new RolloutGate(
            `${name}-rollout`,
            { ...gate, templateRevision, ...version, config },
            { ...child, dependsOn: [this.statefulSet] },
        );
        this.target = pulumi
            .all([desiredReplicas, policy])
            .apply(([replicas, patience]) => ({ component, replicas, policy: patience }));
        this.registerOutputs({});
    }

    private baseName(args: MemberResourceArgs): string {
        return args.statefulSet.outline.metadata.name;
    }
}

/** `basic-pd-peer` of the StatefulSet `basic-pd` becomes `<name>-peer`. */
function childName(name: string, object: PlannedObject, base: string): string {
    return `${name}${object.outline.metadata.name.slice(base.length)}`;
}

/** Tag of the image of a pod's own container. */
function versionOf(pod: { containers: { name: string; image?: string }[] }, component: Component): string {
    const image = pod.containers.find(({ name }) => name === component)?.image ?? "";
    return /:([^:/]+)$/.exec(image)?.[1] ?? "latest";
}

/** What of a StatefulSet can never change, as the ScaleGate compares it with the live one. */
function fixedFields(spec: Record<string, unknown>): FixedFields {
    const templates = (spec.volumeClaimTemplates ?? []) as {
        metadata: { name: string };
        spec: { resources?: { requests?: { storage?: string } }; storageClassName?: string };
    }[];
    return {
        podManagementPolicy: String(spec.podManagementPolicy ?? "OrderedReady"),
        serviceName: String(spec.serviceName),
        claims: templates.map(({ metadata, spec: claim }) => ({
            name: metadata.name,
            storage: String(canonicalQuantity(claim.resources?.requests?.storage ?? "")),
            storageClass: claim.storageClassName ?? "",
        })),
    };
}
