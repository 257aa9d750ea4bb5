import { skipAwaitAnnotation } from "../../topology/annotations";
import { usedByLabel } from "../../topology/labels";
import type { Component } from "../../topology/members";
import type { ServiceSpec } from "../componentSpec";
import type { TidbClusterManifest } from "../spec";
import { combine, memberLabels, type StringMap } from "./labels";
import { objectMetadata } from "./metadata";
import type { KubernetesObject } from "./object";
import type { KubernetesFields } from "./pod";
import { present } from "./present";

/** A port of a Service. `targetPort` defaults to `port`. */
export interface ServicePort {
    readonly name: string;
    readonly port: number;
    readonly targetPort?: number;
    readonly nodePort?: number;
}

/**
 * Tells Pulumi not to wait for a Service. Pulumi waits until a Service has endpoints, but a member's first pods are created
 * after its Services. The gates wait instead.
 */
export const skipAwait: StringMap = { [skipAwaitAnnotation]: "true" };

/**
 * Renders a member's headless Service, which gives its pods host names. It publishes pods that are not ready, because
 * members must find each other before they can become ready.
 *
 * @param usedBy Label that distinguishes it from other Services. TiFlash, TiCDC and Pump have none.
 */
export function headlessService(
    manifest: TidbClusterManifest,
    member: Component,
    name: string,
    ports: readonly ServicePort[],
    usedBy: StringMap = { [usedByLabel]: "peer" },
): KubernetesObject {
    const selector = memberLabels(manifest, member);
    return {
        apiVersion: "v1",
        kind: "Service",
        metadata: objectMetadata(manifest, name, combine(usedBy, selector), skipAwait),
        spec: {
            clusterIP: "None",
            ...ipFamilies(manifest),
            ports: ports.map(servicePort),
            publishNotReadyAddresses: true,
            selector,
        },
    };
}

/** Renders the part of a member's client Service that all members have in common. */
export function clientService(
    manifest: TidbClusterManifest,
    member: Component,
    name: string,
    ports: readonly (ServicePort | KubernetesFields)[],
    service: ServiceSpec,
): KubernetesObject {
    const selector = memberLabels(manifest, member);
    const labels = combine({ [usedByLabel]: "end-user" }, selector, service.labels);
    return {
        apiVersion: "v1",
        kind: "Service",
        metadata: objectMetadata(manifest, name, labels, combine(skipAwait, service.annotations)),
        spec: {
            ...present({ type: service.type, clusterIP: service.clusterIP }),
            ...ipFamilies(manifest),
            ports: ports.map(servicePort),
            selector,
        },
    };
}

/** @returns the fields of a Service that `preferIPv6` sets. */
export function ipFamilies(manifest: TidbClusterManifest): KubernetesFields {
    return manifest.spec.preferIPv6 === true ? { ipFamilyPolicy: "PreferDualStack" } : {};
}

/** @returns a port with Kubernetes' fields. */
export function servicePort(port: ServicePort | KubernetesFields): KubernetesFields {
    return { protocol: "TCP", targetPort: port.port, ...port };
}
