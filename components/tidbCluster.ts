import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import type { Component } from "../topology/members";
import { memberName } from "../topology/names";
import { ports } from "../topology/ports";
import type { AccessArgs } from "./access";
import { hasDiscovery } from "./cluster";
import { clusterGateArgs } from "./clusterGateArgs";
import { endpoint, imagesOf } from "./clusterOutputs";
import { clusterOwner } from "./clusterOwner";
import { discoveryManifests, type DiscoveryManifests } from "./discovery/manifests";
import { gateContext } from "./gateContext";
import { gatePolicy, leavingPolicy } from "./gatePolicy";
import { ClusterGate, PasswordGate, ReadyGate } from "./gates";
import type { RenderedMember } from "./kubernetes/member";
import { leaseManifest } from "./lease/manifests";
import { type GateContext, ignoredWhilePaused, MemberResource } from "./memberResource";
import { checkOperations, type OperationsArgs } from "./operations";
import { createObject, plannedPart, type Planned } from "./objects";
import { parseManifest } from "./parseManifest";
import { plannedCluster } from "./plannedCluster";
import type { TidbClusterSpec } from "./spec";
import { inOrderOfGates, isSuspended } from "./suspension";
import { createsPassword } from "./tidb/rootPassword";

/** `T` with an Output allowed for each of its leaves, and for lists and maps as a whole. */
export type InputLeaves<T> = T extends object
    ? { [K in keyof T]: InputLeaves<T[K]> | pulumi.Input<T[K]> }
    : pulumi.Input<T>;

/** The Lease keeps the names of the first deployment, by which the cluster's gate sees that it is to be renamed, and refuses it. */
const leaseNames = ["metadata.name", "metadata.namespace"];

/** What a TidbCluster is made from. */
export interface TidbClusterArgs extends AccessArgs {
    /** Name (default: the resource's name), namespace (default: `default`), labels and annotations. */
    metadata?: {
        /** Name of the cluster, hence the start of every object's name. Cannot be changed later. */
        name?: string;
        namespace?: pulumi.Input<string>;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
    };
    /**
     * What the cluster should be, with the field names of tidb-operator's `v1alpha1`. Leaves may be Outputs; what
     * decides which resources exist (a member, TiDB's Service) is plain.
     */
    spec: InputLeaves<TidbClusterSpec>;
    /** Where PD is, if not behind its pods. */
    pd?: {
        /** `http(s)://host:port` of PD, comma-separated for several. Default: forwarded through the API server. */
        address?: pulumi.Input<string>;
    };
    /** How the cluster is operated, beside what its spec says. Plain: no part of it may be an Output. */
    operations?: OperationsArgs;
}

/**
 * A TiDB cluster on Kubernetes: Discovery, PD, TiKV and TiDB in the order in which they need each other, with a gate
 * before and behind each StatefulSet that asks PD before anything is taken down or away.
 *
 * @throws ManifestError that lists every problem of `operations`, or of `metadata` and `spec`, each with its field.
 */
export class TidbCluster extends pulumi.ComponentResource {
    /** `host:port` of TiDB inside Kubernetes; without TiDB, empty. */
    readonly tidbEndpoint: pulumi.Output<string>;
    /** `host:port` of PD inside Kubernetes; without PD of its own, empty. */
    readonly pdEndpoint: pulumi.Output<string>;
    /** Image of each member: `{ pd: "pingcap/pd:v8.5.3", … }`. */
    readonly images: pulumi.Output<Record<string, string>>;
    /** True once every pod, member and store is as it was asked for. */
    readonly ready: pulumi.Output<boolean>;
    /** The members' resources, by component. */
    readonly members: Partial<Record<Component, MemberResource>> = {};
    /** Gives root its first password; only with `spec.tidb.initializer.createPassword`, while TiDB is not suspended. */
    readonly passwordGate: PasswordGate | undefined;
    /** Discovery's resources. */
    readonly discovery: pulumi.CustomResource[] = [];
    /** The Lease that gates lock the cluster with. */
    readonly lease: k8s.coordination.v1.Lease;
    /** Refuses a new name, another stack's cluster and members that may not leave; before all but the Lease. */
    readonly clusterGate: ClusterGate;

    constructor(name: string, args: TidbClusterArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:TidbCluster", name, {}, opts);
        const given = { metadata: { ...args.metadata, name: args.metadata?.name ?? name }, spec: args.spec };
        checkOperations(args.operations, given.metadata.name);
        const cluster = plannedCluster(given, (message) => void pulumi.log.warn(message, this));
        const { spec } = cluster.outline.manifest;
        const manifests = plannedPart(cluster, ({ manifest }) => manifest);
        const { content } = manifests;
        const child = { parent: this };

        // Pulumi lets only the component itself wait for `dependsOn`; all that it makes waits for the Lease.
        const lease = { ...child, dependsOn: opts.dependsOn, ignoreChanges: leaseNames };
        this.lease = createObject(plannedPart(manifests, leaseManifest), `${name}-lease`, lease);
        const gates = {
            ...gateContext(args, content, this.lease),
            ...(spec.paused ? ({ paused: true } as const) : {}),
        };
        const owner = clusterOwner(this, content);
        this.clusterGate = new ClusterGate(
            `${name}-cluster`,
            {
                ...gates,
                ...clusterGateArgs(cluster, this.lease),
                owner,
                policy: leavingPolicy(args.operations),
            },
            { ...child, dependsOn: [this.lease] },
        );
        if (hasDiscovery(manifests.outline)) {
            this.discovery = this.createDiscovery(name, plannedPart(manifests, discoveryManifests), gates);
        }
        let after: pulumi.Resource[] = [this.lease, this.clusterGate, ...this.discovery];
        for (const described of inOrderOfGates(spec)) {
            const { component, type } = described;
            const member = new MemberResource(
                type,
                `${name}-${component}`,
                {
                    component,
                    objectName: memberName(manifests.outline.metadata.name, component),
                    rendered: plannedPart(cluster, ({ members }) => members[component] as RenderedMember),
                    isSuspended: isSuspended(spec, described),
                    policy: content.apply((manifest) => gatePolicy(manifest, component, args.operations)),
                    gates,
                    clusterGate: this.clusterGate,
                    pdTemplateRevision: this.members.pd?.templateRevision,
                },
                after,
                child,
            );
            this.members[component] = member;
            after = [member.lastGate];
        }
        const { tidb } = this.members;
        if (createsPassword(spec) && tidb?.rolloutGate) {
            this.passwordGate = new PasswordGate(
                `${name}-tidb-password`,
                {
                    ...gates,
                    policy: content.apply((manifest) => gatePolicy(manifest, "tidb", args.operations)),
                    hasServers: content.apply((manifest) => (manifest.spec.tidb?.replicas ?? 0) > 0),
                },
                { parent: tidb, dependsOn: [tidb.rolloutGate] },
            );
            after = [...after, this.passwordGate];
        }
        const targets = Object.values(this.members).flatMap(({ target }) => target ?? []);
        const last = new ReadyGate(
            `${name}-ready`,
            { ...gates, owner, members: pulumi.all(targets) },
            { ...child, dependsOn: after },
        );
        this.ready = last.id.apply(() => true);
        this.tidbEndpoint = content.apply((manifest) =>
            endpoint(manifest, "tidb", manifest.spec.tidb?.service?.port ?? ports.tidb.sql),
        );
        this.pdEndpoint = content.apply((manifest) => endpoint(manifest, "pd", ports.pd.client));
        this.images = content.apply(imagesOf);
        this.registerOutputs({
            tidbEndpoint: this.tidbEndpoint,
            pdEndpoint: this.pdEndpoint,
            images: this.images,
            ready: this.ready,
        });
    }

    /**
     * A cluster from the YAML that tidb-operator's users have.
     * @param path of the file, relative to the program's folder.
     * @throws ManifestError that names file, line or field.
     */
    static fromYaml(
        name: string,
        path: string,
        args: Omit<TidbClusterArgs, "metadata" | "spec"> = {},
        opts: pulumi.ComponentResourceOptions = {},
    ): TidbCluster {
        const manifest = parseManifest(readFileSync(path, "utf8"), path);
        return new TidbCluster(name, { ...args, metadata: manifest.metadata, spec: manifest.spec }, opts);
    }

    private createDiscovery(
        name: string,
        rendered: Planned<DiscoveryManifests>,
        gates: GateContext,
    ): pulumi.CustomResource[] {
        const made: pulumi.CustomResource[] = [];
        for (const object of Object.keys(rendered.outline) as (keyof DiscoveryManifests)[]) {
            const opts = {
                parent: this,
                dependsOn: [this.lease, this.clusterGate, ...made],
                ...ignoredWhilePaused(gates),
            };
            made.push(
                createObject(
                    plannedPart(rendered, (objects) => objects[object]),
                    `${name}-discovery`,
                    opts,
                ),
            );
        }
        return made;
    }
}
