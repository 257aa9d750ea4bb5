import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess } from "../provider/cluster/access";
import { type ClusterGateName, gates as gateRows, gatesAt } from "../topology/gates";
import type { Component } from "../topology/members";
import { memberName } from "../topology/names";
import { sharesUser } from "./access";
import type { Condition } from "../topology/readyCondition";
import { argumentProblems, clusterArguments } from "./arguments";
import { claimGatePlaces } from "./backup/gatePlaces";
import { hasDiscovery } from "./cluster";
import { gateMaker } from "./gateMaker";
import { conditionsOf } from "./clusterConditions";
import { type DeployedPods, endpointsOf, imagesOf, imagesOfPaused } from "./clusterOutputs";
import { clusterOwner } from "./clusterOwner";
import { discoveryManifests } from "./discovery/manifests";
import { discoveryResources } from "./discoveryResources";
import { deployedNames, gateContext, ignoredWhilePaused } from "./gateContext";
import type { Gate } from "./gates";
import type { RenderedMember } from "./kubernetes/member";
import { leaseManifest } from "./lease/manifests";
import { MemberResource } from "./memberResource";
import { createObject, type Planned, plannedPart } from "./objects";
import { ownPrerequisites } from "./ownPrerequisites";
import { plannedCluster } from "./plannedCluster";
import { prerequisiteInputs } from "./prerequisiteInputs";
import type { TidbClusterManifest } from "./spec";
import { inOrderOfGates } from "./suspension";
import type { TidbClusterArgs, YamlClusterArgs } from "./tidbClusterArgs";
import { argsFromYaml, fileOf } from "./yamlCluster";

/** The Lease keeps the name and namespace of the first deployment. The ClusterGate compares them and refuses a rename. */
const leaseNames = ["metadata.name", "metadata.namespace"];

/**
 * A TiDB cluster on Kubernetes: discovery, PD, TiKV, TiDB and the other members, in the order of their dependencies. Each
 * StatefulSet has a gate before it and a gate after it. A gate is a Pulumi resource that checks the live cluster, plans
 * steps, and carries them out when it is safe; it asks PD before it stops or removes anything.
 *
 * @throws ManifestError that lists every error in the arguments with its field.
 */
export class TidbCluster extends pulumi.ComponentResource {
    /** `host:port` of TiDB inside Kubernetes. Empty if the cluster has no TiDB. */
    readonly tidbEndpoint: pulumi.Output<string>;
    /** `host:port` of TiProxy, for SQL clients inside Kubernetes. Empty if the cluster has no TiProxy. */
    readonly tiproxyEndpoint: pulumi.Output<string>;
    /**
     * `host:port` where SQL clients inside Kubernetes connect: TiProxy if the cluster has one with replicas, otherwise TiDB;
     * `operations.sqlEndpoint` chooses. Empty if the cluster has neither. A plan names a change of it.
     */
    readonly sqlEndpoint: pulumi.Output<string>;
    /** `host:port` of PD inside Kubernetes. Empty if the cluster does not have its own PD. */
    readonly pdEndpoint: pulumi.Output<string>;
    /** Image of each member: `{ pd: "pingcap/pd:v8.5.3", … }`. While the cluster is paused, those that are deployed. */
    readonly images: pulumi.Output<Record<string, string>>;
    /** True once every pod, member and store matches the program, and false if `conditions` says so, as for a suspended member. */
    readonly ready: pulumi.Output<boolean>;
    /**
     * The condition `Ready`, as TiDB Operator names its reasons and as `pulumi-tidb status` shows it: `True` at the end of an
     * update, or `False` if a member is suspended. What happens after the update is not in it.
     */
    readonly conditions: pulumi.Output<Condition[]>;
    /** Resources of the members, by component. */
    readonly members: Partial<Record<Component, MemberResource>> = {};
    /** Gate that sets root's initial password. Only with `spec.tidb.initializer.createPassword`, while TiDB is not suspended. */
    readonly passwordGate: Gate | undefined;
    /** Gate that makes PD recover from the loss of stores. Only with `operations.unsafeRecovery`. */
    readonly recoveryGate: Gate | undefined;
    /** Gate that gives up volumes on nodes that are gone. Only with `operations.lostNodes`. */
    readonly lostNodesGate: Gate | undefined;
    /** Gate that takes a backup before the first step of an upgrade. Only with `operations.backup.beforeUpgrade`. */
    readonly beforeUpgradeGate: Gate | undefined;
    /** Resources of discovery. */
    readonly discovery: pulumi.CustomResource[] = [];
    /** Lease that the gates use to lock the cluster. */
    readonly lease: k8s.coordination.v1.Lease;
    /**
     * Gate that refuses a rename, a cluster that another stack owns, and the removal of members that must stay. All
     * resources except the Lease depend on it.
     */
    readonly clusterGate: Gate;
    /**
     * The checked manifest, for components that do something with the cluster.
     * @internal
     */
    readonly manifests: Planned<TidbClusterManifest>;
    /**
     * How its gates reach the Kubernetes cluster.
     * @internal
     */
    readonly access: pulumi.Input<ClusterAccess>;

    constructor(name: string, args: TidbClusterArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:TidbCluster", name, {}, opts);
        const file = fileOf(args);
        const given = file?.manifest ?? {
            metadata: { ...args.metadata, name: args.metadata?.name ?? name },
            spec: args.spec,
        };
        const problems = file?.problems ?? argumentProblems(args, clusterArguments);
        const cluster = plannedCluster(
            given,
            problems,
            (message) => void pulumi.log.warn(message, this),
            args.operations,
        );
        const { spec } = cluster.outline.manifest;
        const manifests = plannedPart(cluster, ({ manifest }) => manifest);
        const { content } = manifests;
        this.manifests = manifests;
        const child = { parent: this };

        // Pulumi applies `dependsOn` only to the component itself. Its resources wait through the Lease.
        const lease = { ...child, dependsOn: opts.dependsOn, ignoreChanges: leaseNames };
        this.lease = createObject(plannedPart(manifests, leaseManifest), `${name}-lease`, lease);
        const context = {
            ...gateContext(args, content, this.lease),
            ...(spec.paused ? ({ paused: true } as const) : {}),
        };
        this.access = context.access;
        const { operations } = args;
        const gate = gateMaker(name, {
            cluster,
            operations,
            context,
            known: {
                owner: clusterOwner(this, content),
                deployed: deployedNames(this.lease),
                prerequisites: pulumi
                    .all([
                        cluster.content.apply((rendered) => prerequisiteInputs(rendered, operations)),
                        ownPrerequisites(args.metadata?.namespace, opts),
                    ])
                    .apply(([wanted, own]) => ({
                        ...(wanted as ReturnType<typeof prerequisiteInputs>),
                        ...own,
                        sharesUser: sharesUser(args, this),
                    })),
                ...(opts.protect === true ? { isProtected: true as const } : {}),
            },
        });
        this.clusterGate = gate("cluster", { ...child, dependsOn: [this.lease] }) as Gate;
        if (hasDiscovery(manifests.outline)) {
            const rendered = plannedPart(manifests, discoveryManifests);
            this.discovery = discoveryResources(name, rendered, context, [this.lease, this.clusterGate], child);
        }
        claimGatePlaces(content, operations?.backup, this);
        let after: pulumi.Resource[] = [this.lease, this.clusterGate, ...this.discovery];
        const made: Partial<Record<ClusterGateName, Gate>> = {};
        for (const one of gatesAt("before members")) {
            made[one] = gate(one, { ...child, dependsOn: after });
            after = [...after, made[one] ?? []].flat();
        }
        for (const { component, type } of inOrderOfGates(spec)) {
            const member = new MemberResource(
                type,
                `${name}-${component}`,
                {
                    component,
                    objectName: memberName(manifests.outline.metadata.name, component),
                    rendered: plannedPart(cluster, ({ members }) => members[component] as RenderedMember),
                    gate,
                    whilePaused: ignoredWhilePaused(context),
                    clusterGate: this.clusterGate,
                },
                after,
                child,
            );
            this.members[component] = member;
            after = [member.lastGate];
        }
        for (const one of gatesAt("after members")) {
            const { member } = gateRows[one];
            const of = member && this.members[member];
            made[one] = gate(one, of ? { parent: of, dependsOn: [of.lastGate] } : { ...child, dependsOn: after });
            after = [...after, made[one] ?? []].flat();
        }
        ({
            recovery: this.recoveryGate,
            "lost-nodes": this.lostNodesGate,
            "before-upgrade": this.beforeUpgradeGate,
            password: this.passwordGate,
        } = made);
        // Pulumi deletes the last gate first, so nothing of the cluster is deleted before it lets that happen.
        const objects = Object.values(this.members)
            .flatMap(({ services, configMap, disruptionBudget }) => [...services, configMap, disruptionBudget])
            .filter((one) => one !== undefined);
        const last = gate("ready", { ...child, dependsOn: [...after, ...objects] }) as Gate;
        this.conditions = pulumi.all([content, last.id]).apply(([manifest]) => conditionsOf(manifest.spec));
        this.ready = this.conditions.apply(([{ status }]) => status === "True");
        const { tidbEndpoint, tiproxyEndpoint, sqlEndpoint, pdEndpoint } = content.apply((manifest) =>
            endpointsOf(manifest, args.operations),
        );
        this.tidbEndpoint = tidbEndpoint;
        this.tiproxyEndpoint = tiproxyEndpoint;
        this.sqlEndpoint = sqlEndpoint;
        this.pdEndpoint = pdEndpoint;
        const wanted = content.apply(imagesOf);
        const sets = Object.entries(this.members).map(([component, { statefulSet }]) => [component, statefulSet?.spec]);
        const deployed: pulumi.Output<DeployedPods> = pulumi.all(Object.fromEntries(sets) as Record<string, object>);
        this.images = spec.paused ? pulumi.all([wanted, deployed]).apply((all) => imagesOfPaused(...all)) : wanted;
        this.registerOutputs({
            tidbEndpoint,
            tiproxyEndpoint,
            sqlEndpoint,
            pdEndpoint,
            images: this.images,
            ready: this.ready,
            conditions: this.conditions,
        });
    }

    /**
     * Creates a cluster from a YAML manifest of tidb-operator. Objects of other kinds in the file are ignored, with a warning.
     * @param path Path of the file, relative to the program's folder.
     * @throws ManifestError that names the file and the line or field, or says why the file cannot be read.
     */
    static fromYaml(
        name: string,
        path: string,
        args: YamlClusterArgs = {},
        opts: pulumi.ComponentResourceOptions = {},
    ): TidbCluster {
        return new TidbCluster(name, argsFromYaml(path, name, args), opts);
    }
}
