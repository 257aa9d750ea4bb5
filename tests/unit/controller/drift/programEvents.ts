import type { EngineEvent } from "@pulumi/pulumi/automation";

/** An object of a program, for events as the Pulumi CLI 3.260 writes them. */
export interface PlayedObject {
    readonly type: string;
    readonly name: string;
    readonly labels?: Record<string, string>;
    /** What the program has beside the metadata. */
    readonly inputs?: object;
    /** What the live object has beside the metadata. Default: what the program has. */
    readonly live?: object;
    /** Of the live object. Default: Pulumi's own. */
    readonly managedFields?: unknown;
}

const urnOf = ({ type, name }: PlayedObject): string => `urn:pulumi:prod::shop::${type}::${name}`;

const ofCluster = { "app.kubernetes.io/instance": "basic", "app.kubernetes.io/managed-by": "pulumi-tidb" };
export const service: PlayedObject = { type: "kubernetes:core/v1:Service", name: "basic-tidb", labels: ofCluster };
const labelsOfPulumi = { "f:labels": { "f:app.kubernetes.io/managed-by": {} } };
/** What Pulumi itself has written of an object, as the provider's outputs have it. */
export const byPulumi = {
    manager: "pulumi-kubernetes-1a2b3c",
    operation: "Apply",
    fieldsV1: { "f:metadata": labelsOfPulumi },
};
export const statefulSet: PlayedObject = {
    type: "kubernetes:apps/v1:StatefulSet",
    name: "basic-tikv",
    labels: ofCluster,
};
export const configMap: PlayedObject = { type: "kubernetes:core/v1:ConfigMap", name: "basic-pd", labels: ofCluster };
export const gate: PlayedObject = { type: "pulumi-nodejs:dynamic/tidb:RolloutGate", name: "basic-tikv-rollout" };

function stateOf(object: PlayedObject) {
    const { type, name, labels = {} } = object;
    const managedFields = "managedFields" in object ? object.managedFields : [byPulumi];
    const inputs = type.startsWith("kubernetes:")
        ? { metadata: { name, namespace: "tidb", labels }, ...object.inputs }
        : {};
    return {
        type,
        urn: urnOf({ type, name }),
        custom: true,
        id: `tidb/${name}`,
        parent: "",
        inputs,
        outputs: type.startsWith("kubernetes:")
            ? { metadata: { name, uid: `uid-${name}`, labels, managedFields }, ...(object.live ?? object.inputs) }
            : {},
        provider: "",
    };
}

const diffOf = (paths: readonly string[]) =>
    Object.fromEntries(paths.map((path) => [path, { diffKind: "update", inputDiff: false }]));

/** What a refresh tells. @param found the paths that differ, or that the object is gone */
export function refreshed(object: PlayedObject, found: readonly string[] | "gone"): EngineEvent {
    const metadata = {
        op: "refresh",
        urn: urnOf(object),
        type: object.type,
        old: stateOf(object),
        new: found === "gone" ? null : stateOf(object),
        detailedDiff: found === "gone" ? null : diffOf(found),
        provider: "",
    };
    return { sequence: 0, timestamp: 0, resOutputsEvent: { metadata } } as unknown as EngineEvent;
}

/** What a preview or an update does. */
export function step(op: string, object: PlayedObject, paths: readonly string[] = []): EngineEvent {
    const metadata = {
        op,
        urn: urnOf(object),
        type: object.type,
        old: op === "create" ? null : stateOf(object),
        new: op === "delete" ? null : stateOf(object),
        detailedDiff: paths.length === 0 ? null : diffOf(paths),
        provider: "",
    };
    return { sequence: 0, timestamp: 0, resourcePreEvent: { metadata } } as unknown as EngineEvent;
}

export function failed(message: string): EngineEvent {
    const diagnosticEvent = { message, color: "never", severity: "error" };
    return { sequence: 0, timestamp: 0, diagnosticEvent } as EngineEvent;
}
