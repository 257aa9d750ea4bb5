import type { ServiceSpec } from "../componentSpec";
import { memberName, peerServiceName } from "../kubernetes/names";
import type { KubernetesObject } from "../kubernetes/object";
import { clientService, headlessService } from "../kubernetes/services";
import type { TidbClusterManifest } from "../spec";

/** Port on which PD, and each of its microservices, answers clients. */
export const pdClientPort = 2379;

/** Port on which PD's members talk to each other. */
export const pdPeerPort = 2380;

/** The Services of PD or of one of its microservices: for clients, and headless. */
export function pdServices(
    manifest: TidbClusterManifest,
    member: string,
    asked: ServiceSpec | undefined,
): KubernetesObject[] {
    return [service(manifest, member, asked ?? {}), peerService(manifest, member)];
}

function service(manifest: TidbClusterManifest, member: string, asked: ServiceSpec): KubernetesObject {
    const object = clientService(
        manifest,
        member,
        memberName(manifest.metadata.name, member),
        [{ name: asked.portName ?? "client", port: pdClientPort }],
        { ...asked, type: asked.type ?? legacyServiceType(manifest, member) },
    );
    if (asked.loadBalancerIP) {
        object.spec.loadBalancerIP = asked.loadBalancerIP;
    }
    return object;
}

/** Kind of the client Service in the deprecated list `spec.services`. */
function legacyServiceType(manifest: TidbClusterManifest, member: string): ServiceSpec["type"] {
    const type = manifest.spec.services?.find(({ name }) => name === member)?.type;
    return type === "NodePort" || type === "LoadBalancer" ? type : "ClusterIP";
}

function peerService(manifest: TidbClusterManifest, member: string): KubernetesObject {
    return headlessService(manifest, member, peerServiceName(manifest.metadata.name, member), [
        { name: `tcp-peer-${pdPeerPort}`, port: pdPeerPort },
        { name: `tcp-peer-${pdClientPort}`, port: pdClientPort },
    ]);
}
