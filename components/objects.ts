// Not from the package itself, which also loads charts and YAML files.
import * as apps from "@pulumi/kubernetes/apps/v1";
import * as batch from "@pulumi/kubernetes/batch/v1";
import * as coordination from "@pulumi/kubernetes/coordination/v1";
import * as core from "@pulumi/kubernetes/core/v1";
import * as policy from "@pulumi/kubernetes/policy/v1";
import * as rbac from "@pulumi/kubernetes/rbac/v1";
import * as storage from "@pulumi/kubernetes/storage/v1";
import type * as pulumi from "@pulumi/pulumi";
import type { KubernetesObject } from "./kubernetes/object";
import { protectionOf } from "./protection";

type Inputs = Record<string, pulumi.Input<unknown>>;
type ObjectClass = new (name: string, args: Inputs, opts: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** Pulumi classes of the object kinds of this package. They are functions because the modules load lazily. */
const classes: Readonly<Record<string, () => unknown>> = {
    ClusterRole: () => rbac.ClusterRole,
    ClusterRoleBinding: () => rbac.ClusterRoleBinding,
    ConfigMap: () => core.ConfigMap,
    CronJob: () => batch.CronJob,
    DaemonSet: () => apps.DaemonSet,
    Deployment: () => apps.Deployment,
    Job: () => batch.Job,
    Lease: () => coordination.Lease,
    PodDisruptionBudget: () => policy.PodDisruptionBudget,
    Role: () => rbac.Role,
    RoleBinding: () => rbac.RoleBinding,
    Service: () => core.Service,
    ServiceAccount: () => core.ServiceAccount,
    StatefulSet: () => apps.StatefulSet,
    StorageClass: () => storage.StorageClass,
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
