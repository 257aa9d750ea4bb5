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

/** A port of a Service that leads to the same port of the pod, unless it says another. */
export interface ServicePort {
    readonly name: string;
    readonly port: number;
    readonly targetPort?: number;
    readonly nodePort?: number;
}

/**
 * Pulumi waits for a Service until it has endpoints, and a member's first pods come after its Services; so it is told
 * not to. The gates wait instead.
 */
export const skipAwait: StringMap = { [skipAwaitAnnotation]: "true" };

/**
 * A member's headless Service, by which its pods have host names. It publishes pods that are not ready, because
 * members must find each other before they can be.
 *
 * @param usedBy The label that tells it from other Services; TiFlash, TiCDC and Pump have none.
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

/** A member's Service for clients, as far as all members have it in common. */
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

/** What `preferIPv6` says about a Service. */
export function ipFamilies(manifest: TidbClusterManifest): KubernetesFields {
    return manifest.spec.preferIPv6 === true ? { ipFamilyPolicy: "PreferDualStack" } : {};
}

/** One port as Kubernetes writes it. */
export function servicePort(port: ServicePort | KubernetesFields): KubernetesFields {
    return { protocol: "TCP", targetPort: port.port, ...port };
}
