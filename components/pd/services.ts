import type { Component } from "../../topology/members";
import { headlessServiceName, memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import type { ServiceSpec } from "../componentSpec";
import type { KubernetesObject } from "../kubernetes/object";
import { clientService, headlessService } from "../kubernetes/services";
import type { TidbClusterManifest } from "../spec";

/** Renders the Services of PD or of one of its microservices: the client Service and the headless Service. */
export function pdServices(
    manifest: TidbClusterManifest,
    member: Component,
    spec: ServiceSpec | undefined,
): KubernetesObject[] {
    return [service(manifest, member, spec ?? {}), peerService(manifest, member)];
}

function service(manifest: TidbClusterManifest, member: Component, spec: ServiceSpec): KubernetesObject {
    const object = clientService(
        manifest,
        member,
        memberName(manifest.metadata.name, member),
        [{ name: spec.portName ?? "client", port: ports.pd.client }],
        { ...spec, type: spec.type ?? legacyServiceType(manifest, member) },
    );
    if (spec.loadBalancerIP) {
        object.spec.loadBalancerIP = spec.loadBalancerIP;
    }
    return object;
}

/** @returns the type of the client Service from the deprecated list `spec.services`. */
function legacyServiceType(manifest: TidbClusterManifest, member: Component): ServiceSpec["type"] {
    const type = manifest.spec.services?.find(({ name }) => name === member)?.type;
    return type === "NodePort" || type === "LoadBalancer" ? type : "ClusterIP";
}

function peerService(manifest: TidbClusterManifest, member: Component): KubernetesObject {
    return headlessService(manifest, member, headlessServiceName(manifest.metadata.name, member), [
        { name: `tcp-peer-${ports.pd.peer}`, port: ports.pd.peer },
        { name: `tcp-peer-${ports.pd.client}`, port: ports.pd.client },
    ]);
}
