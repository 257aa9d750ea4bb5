import * as pulumi from "@pulumi/pulumi";
import type { LifecycleControllerArgs } from "./controller/args";
import { type ControllerManifests, controllerManifests } from "./controller/manifests";
import type { KubernetesObject } from "./kubernetes/object";
import { createObject } from "./objects";
import { defaultControllerActions } from "../topology/controllerPermissions";

const defaultResources = { requests: { cpu: "100m", memory: "256Mi" } };

/**
 * Looks after TidbClusters all the time: a Deployment that runs `pulumi-tidb controller run`, with a Role for each namespace of
 * clusters. It replaces dead members, unless `act` says otherwise. It never upgrades, scales or configures a cluster. docs/controller.md says what it promises.
 *
 * @throws Error that names a field with a wrong value.
 */
export class LifecycleController extends pulumi.ComponentResource {
    /** `host:port` of the pages `/healthz`, `/readyz` and `/metrics` inside Kubernetes. */
    readonly endpoint: pulumi.Output<string>;

    constructor(name: string, args: LifecycleControllerArgs, opts: pulumi.ComponentResourceOptions = {}) {
        super("tidb:index:LifecycleController", name, {}, opts);
        const { intervalSeconds = 10, act = [...defaultControllerActions], clusterNamespaces } = args;
        const { clusters = {}, tlsClusters = {}, watchCertificates = false } = args;
        checkArguments(name, args);
        const namespaces = clusterNamespaces ?? (typeof args.namespace === "string" ? [args.namespace] : undefined);
        if (namespaces !== undefined) {
            checkNamespaces(name, namespaces, { clusters, tlsClusters });
        }
        const content = pulumi
            .all([args.namespace, args.image, args.replicas ?? 1, args.resources ?? defaultResources])
            .apply(([namespace, image, replicas, resources]) => {
                checkNamespaces(name, clusterNamespaces ?? [namespace], { clusters, tlsClusters });
                return pulumi
                    .all([args.imagePullSecrets, args.nodeSelector, args.tolerations])
                    .apply(([imagePullSecrets, nodeSelector, tolerations]) =>
                        controllerManifests({
                            name,
                            namespace,
                            image,
                            replicas,
                            resources,
                            imagePullSecrets,
                            nodeSelector,
                            tolerations,
                            clusterNamespaces: clusterNamespaces ?? [namespace],
                            clusters,
                            tlsClusters,
                            watchCertificates,
                            act,
                            intervalSeconds,
                        }),
                    );
            });
        // How many objects there are depends on plain values only.
        const outline = controllerManifests({
            name,
            namespace: "",
            image: "",
            replicas: 1,
            resources: {},
            clusterNamespaces: clusterNamespaces ?? [""],
            clusters,
            tlsClusters,
            watchCertificates,
            act,
            intervalSeconds,
        });
        const make = (
            as: string,
            take: (all: ControllerManifests) => KubernetesObject,
            dependsOn: pulumi.Resource[] = [],
        ): pulumi.CustomResource =>
            createObject(
                { outline: take(outline), content: content.apply(take) as pulumi.Output<KubernetesObject> },
                as,
                { parent: this, dependsOn },
            );
        const serviceAccount = make(name, (all) => all.serviceAccount);
        const bindings = outline.roles.map((_, index) => {
            const as = index === 0 ? `${name}-leader` : `${name}-${clusterNamespaces?.[index - 1] ?? "clusters"}`;
            const role = make(as, (all) => all.roles[index]);
            return make(as, (all) => all.roleBindings[index], [role]);
        });
        const { clusterRole, clusterRoleBinding } = outline;
        if (clusterRole !== undefined && clusterRoleBinding !== undefined) {
            const role = make(`${name}-nodes`, (all) => all.clusterRole ?? clusterRole);
            bindings.push(make(`${name}-nodes`, (all) => all.clusterRoleBinding ?? clusterRoleBinding, [role]));
        }
        make(name, (all) => all.service);
        make(name, (all) => all.deployment, [serviceAccount, ...bindings]);
        this.endpoint = pulumi.interpolate`${name}.${args.namespace}.svc:8080`;
        this.registerOutputs({ endpoint: this.endpoint });
    }
}

function checkArguments(
    name: string,
    { intervalSeconds = 10, clusterNamespaces, clusters = {}, tlsClusters = {} }: LifecycleControllerArgs,
): void {
    const of = `LifecycleController ${name}`;
    if (!Number.isInteger(intervalSeconds) || intervalSeconds < 1 || intervalSeconds > 3600) {
        throw new Error(`${of}: intervalSeconds: found ${intervalSeconds}, expected a whole number from 1 to 3600`);
    }
    if (clusterNamespaces?.length === 0) {
        throw new Error(`${of}: clusterNamespaces: found an empty list, expected at least one namespace, or no list`);
    }
    // Kubernetes takes a rule with an empty list of names for one of all objects.
    const [none] = Object.entries(clusters).filter(([, names]) => names.length === 0);
    if (none !== undefined) {
        throw new Error(`${of}: clusters.${none[0]}: found an empty list, expected at least one cluster, or no list`);
    }
    for (const [namespace, names] of Object.entries(tlsClusters)) {
        const stray = names.find((one) => clusters[namespace]?.includes(one) === false);
        if (stray !== undefined) {
            throw new Error(`${of}: tlsClusters.${namespace}: found ${stray}, expected one of clusters.${namespace}`);
        }
    }
}

/** A misspelt namespace would leave the Role of the right one without the names. */
function checkNamespaces(
    name: string,
    namespaces: readonly string[],
    named: Record<string, Readonly<Record<string, readonly string[]>>>,
): void {
    for (const [field, byNamespace] of Object.entries(named)) {
        const stray = Object.keys(byNamespace).find((one) => !namespaces.includes(one));
        if (stray !== undefined) {
            throw new Error(
                `LifecycleController ${name}: ${field}: found the namespace ${stray}, expected one of clusterNamespaces`,
            );
        }
    }
}
