import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { KubernetesObject } from "./kubernetes/object";

type Inputs = Record<string, pulumi.Input<unknown>>;
type ObjectClass = new (name: string, args: Inputs, opts: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** The Pulumi classes of the kinds that a cluster consists of. Looked up when used: their modules load lazily. */
const classes: Readonly<Record<string, () => unknown>> = {
    ConfigMap: () => k8s.core.v1.ConfigMap,
    Deployment: () => k8s.apps.v1.Deployment,
    Lease: () => k8s.coordination.v1.Lease,
    Role: () => k8s.rbac.v1.Role,
    RoleBinding: () => k8s.rbac.v1.RoleBinding,
    Service: () => k8s.core.v1.Service,
    ServiceAccount: () => k8s.core.v1.ServiceAccount,
    StatefulSet: () => k8s.apps.v1.StatefulSet,
};

/** Something that will exist: its outline, which is plain, and its content, which may be known only later. */
export interface Planned<T> {
    /** Decides which resources there are, their classes, fields and names. Values in it may be placeholders. */
    readonly outline: T;
    readonly content: pulumi.Output<T>;
}

/** @returns a part of what will exist; `take` is called once for the outline, and once for the content. */
export function plannedPart<T, Part>({ outline, content }: Planned<T>, take: (whole: T) => Part): Planned<Part> {
    return { outline: take(outline), content: content.apply(take) as pulumi.Output<Part> };
}

/** Makes the resource of a rendered object. `change` replaces fields of what was rendered. */
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
    return new resourceClass(name, change(Object.fromEntries(fields) as Inputs), opts) as T;
}
