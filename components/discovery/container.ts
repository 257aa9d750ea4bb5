import { memberName, memberSecretName } from "../../topology/names";
import { discoveryPorts } from "../../topology/ports";
import type { Probe } from "../componentSpec";
import type { Container, KubernetesFields } from "../kubernetes/pod";
import { podField, withUserEnvironment } from "../kubernetes/podSpec";
import { present } from "../kubernetes/present";
import { tcpHandler } from "../kubernetes/probes";
import { containerResources } from "../kubernetes/resources";
import type { MemberSettings } from "../kubernetes/settings";
import { hasClusterTls, hasDiscoveryTls } from "../kubernetes/tls";
import { userMounts } from "../kubernetes/userPod";
import { type MountedVolume, secretFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import { discoveryServerEnvironment } from "./serverFiles";
import type { DiscoverySpec } from "./spec";

/** Default image of the discovery server. Any image with Node.js 20 or later works. */
const defaultDiscoveryImage = "node:22-alpine";

/** Name of the volume with the server's files. */
export const filesVolume = "server";

const filesFolder = "/discovery";

/** Renders discovery's container. */
export function discoveryContainer(
    manifest: TidbClusterManifest,
    spec: DiscoverySpec,
    settings: MemberSettings,
): Container {
    const environment = [
        podField("MY_POD_NAMESPACE", "metadata.namespace"),
        { name: "TZ", value: manifest.spec.timezone || "UTC" },
        ...discoveryServerEnvironment({
            clusterName: manifest.metadata.name,
            tls: hasClusterTls(manifest) && manifest.spec.pd !== undefined,
            mtls: hasDiscoveryTls(manifest),
            hasPd: manifest.spec.pd !== undefined,
            clusterDomain: manifest.spec.clusterDomain,
            acrossK8s: manifest.spec.acrossK8s,
            pdAddresses: manifest.spec.pdAddresses,
            referenceCluster: manifest.spec.cluster,
        }),
    ];
    return {
        name: "discovery",
        image: spec.image || defaultDiscoveryImage,
        imagePullPolicy: settings.imagePullPolicy,
        command: ["node", `${filesFolder}/main.js`],
        env: withUserEnvironment(environment, spec.env),
        ports: Object.entries(discoveryPorts).map(([name, port]) => ({ containerPort: port, name, protocol: "TCP" })),
        resources: containerResources(spec),
        ...present({
            envFrom: spec.envFrom,
            livenessProbe: probe(spec.livenessProbe),
            readinessProbe: probe(spec.readinessProbe),
            securityContext: spec.securityContext,
        }),
        volumeMounts: [
            ...discoveryVolumes(manifest, spec).map(({ mount }) => mount),
            ...userMounts(spec.additionalVolumeMounts),
        ],
    };
}

/** @returns discovery's volumes: its files, its certificates, and a service account token if Kubernetes does not mount one. */
export function discoveryVolumes(manifest: TidbClusterManifest, spec: DiscoverySpec): MountedVolume[] {
    const cluster = manifest.metadata.name;
    const name = memberName(cluster, "discovery");
    const volumes: MountedVolume[] = [
        {
            volume: { name: filesVolume, configMap: { name } },
            mount: { name: filesVolume, mountPath: filesFolder, readOnly: true },
        },
    ];
    if (hasClusterTls(manifest) && manifest.spec.pd !== undefined) {
        volumes.push(secretFolder("pd-tls", memberSecretName(cluster, "pd"), "/var/lib/pd-tls"));
    }
    if (hasDiscoveryTls(manifest)) {
        volumes.push(secretFolder("discovery-tls", memberSecretName(cluster, "discovery"), "/var/lib/discovery-tls"));
    }
    return spec.automountServiceAccountToken === false ? [...volumes, apiAccess] : volumes;
}

function probe(spec: Probe | undefined): KubernetesFields | undefined {
    return (
        spec && {
            ...tcpHandler(discoveryPorts.discovery),
            ...present({ initialDelaySeconds: spec.initialDelaySeconds, periodSeconds: spec.periodSeconds }),
        }
    );
}

/** The volume that Kubernetes mounts unless `automountServiceAccountToken` is false. Discovery always needs it to call the API server. */
const apiAccess: MountedVolume = {
    volume: {
        name: "kube-api-access",
        projected: {
            sources: [
                { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
                { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
                {
                    downwardAPI: {
                        items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
                    },
                },
            ],
        },
    },
    mount: {
        name: "kube-api-access",
        mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
        readOnly: true,
    },
};
