import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { KubernetesObject } from "./kubernetes/object";
import { protectionOf } from "./protection";

type Inputs = Record<string, pulumi.Input<unknown>>;
type ObjectClass = new (name: string, args: Inputs, opts: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** Pulumi classes of the object kinds of this package. They are functions because the modules load lazily. */
const classes: Readonly<Record<string, () => unknown>> = {
    ClusterRole: () => k8s.rbac.v1.ClusterRole,
    ClusterRoleBinding: () => k8s.rbac.v1.ClusterRoleBinding,
    ConfigMap: () => k8s.core.v1.ConfigMap,
    CronJob: () => k8s.batch.v1.CronJob,
    DaemonSet: () => k8s.apps.v1.DaemonSet,
    Deployment: () => k8s.apps.v1.Deployment,
    Job: () => k8s.batch.v1.Job,
    Lease: () => k8s.coordination.v1.Lease,
    PodDisruptionBudget: () => k8s.policy.v1.PodDisruptionBudget,
    Role: () => k8s.rbac.v1.Role,
    RoleBinding: () => k8s.rbac.v1.RoleBinding,
    Service: () => k8s.core.v1.Service,
    ServiceAccount: () => k8s.core.v1.ServiceAccount,
    StatefulSet: () => k8s.apps.v1.StatefulSet,
    StorageClass: () => k8s.storage.v1.StorageClass,
};

/** Something that will exist: its outline, a plain value, and its content, which may be an unknown Output. */
export interface Planned<T> {
    /** Determines which resources exist, and their classes, fields and names. Its values may be placeholders. */
    readonly outline: T;
    readonly content: pulumi.Output<T>;
}

/** @returns a part of a planned value. `take` is called once for the outline and once for the content. */
export function plannedPart<T, Part>({ outline, content }: Planned<T>, take: (whole: T) => Part): Planned<Part> {
    return { outline: take(outline), content: content.apply(take) as pulumi.Output<Part> };
}

/** Creates the resource of a rendered object. `change` can replace rendered fields. */
export function createObject<T extends pulumi.CustomResource>(
    planned: Planned<KubernetesObject>,
    name: string,
    opts: pulumi.CustomResourceOptions,
    change: (fields: Inputs) => Inputs = (fields) => fields,
): T {
    const { outline, content } = planned;
    const fields = Object.keys(outline)
        .filter((field) => field !== "apiVersion" && field !== "kind")
        .map((field) => [field, content.apply((object): unknown => object[field])]);
    const resourceClass = classes[outline.kind]() as ObjectClass;
    const protection = protectionOf(outline.kind);
    return new resourceClass(name, change(Object.fromEntries(fields) as Inputs), { ...opts, ...protection }) as T;
}
