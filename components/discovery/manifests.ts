import { serverFilesAnnotation } from "../../topology/annotations";
import { memberName } from "../../topology/names";
import { discoveryPorts } from "../../topology/ports";
import { digest } from "../kubernetes/configMap";
import { combine, memberLabels } from "../kubernetes/labels";
import { mergeContainers } from "../kubernetes/mergeContainers";
import { namespaceOf, objectMetadata } from "../kubernetes/metadata";
import type { KubernetesObject } from "../kubernetes/object";
import { podSpec } from "../kubernetes/podSpec";
import { ipFamilies, servicePort, skipAwait } from "../kubernetes/services";
import { memberSettings } from "../kubernetes/settings";
import { userContainers, userVolumes } from "../kubernetes/userPod";
import type { TidbClusterManifest } from "../spec";
import { discoveryContainer, discoveryVolumes } from "./container";
import { operatorRecord, operatorRecordAnnotation } from "./operatorRecord";
import { discoveryServerFiles } from "./serverFiles";

const member = "discovery";

/** The objects of discovery, in the order of creation. */
export interface DiscoveryManifests {
    serviceAccount: KubernetesObject;
    role: KubernetesObject;
    roleBinding: KubernetesObject;
    service: KubernetesObject;
    configMap: KubernetesObject;
    deployment: KubernetesObject;
}

/** Renders discovery: a small server that reads how many members PD should have, and tells each PD pod how to start. */
export function discoveryManifests(manifest: TidbClusterManifest): DiscoveryManifests {
    const name = memberName(manifest.metadata.name, member);
    const labels = memberLabels(manifest, member);
    const metadata = objectMetadata(manifest, name, labels);
    const files = discoveryServerFiles();
    return {
        serviceAccount: { apiVersion: "v1", kind: "ServiceAccount", metadata },
        role: {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "Role",
            metadata,
            // tidb-operator's Role can read every Secret in the namespace. This one can read a single object.
            rules: [
                {
                    apiGroups: ["apps"],
                    resources: ["statefulsets"],
                    resourceNames: [memberName(manifest.metadata.name, "pd")],
                    verbs: ["get"],
                },
            ],
        },
        roleBinding: {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "RoleBinding",
            metadata,
            subjects: [{ kind: "ServiceAccount", name, namespace: namespaceOf(manifest) }],
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        },
        service: {
            apiVersion: "v1",
            kind: "Service",
            metadata: objectMetadata(manifest, name, labels, skipAwait),
            spec: {
                type: "ClusterIP",
                ...ipFamilies(manifest),
                ports: Object.entries(discoveryPorts).map(([port, number]) =>
                    servicePort({ name: port, port: number }),
                ),
                selector: podLabels(manifest),
            },
        },
        configMap: { apiVersion: "v1", kind: "ConfigMap", metadata, data: files },
        deployment: deployment(manifest, name, files),
    };
}

function deployment(manifest: TidbClusterManifest, name: string, files: Record<string, string>): KubernetesObject {
    const spec = manifest.spec.discovery ?? {};
    const settings = memberSettings(manifest, member, spec);
    const labels = memberLabels(manifest, member);
    const pod = podSpec(settings, spec, {
        serviceAccountName: name,
        initContainers: userContainers(spec.initContainers),
        containers: mergeContainers(
            [discoveryContainer(manifest, spec, settings)],
            userContainers(spec.additionalContainers),
        ),
        volumes: [
            ...discoveryVolumes(manifest, spec).map(({ volume }) => volume),
            ...userVolumes(spec.additionalVolumes),
        ],
    });
    return {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: objectMetadata(manifest, name, labels, {
            [operatorRecordAnnotation]: operatorRecord(manifest, spec, settings, name),
        }),
        spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            // Two servers would count the asking members separately.
            strategy: { type: "Recreate" },
            template: {
                metadata: {
                    // The server reads its files only at its start, so changed files need a new pod.
                    annotations: combine({ [serverFilesAnnotation]: digest(files) }, settings.annotations),
                    labels: podLabels(manifest),
                },
                spec: pod,
            },
        },
    };
}

function podLabels(manifest: TidbClusterManifest): Record<string, string> {
    return combine(memberLabels(manifest, member), memberSettings(manifest, member, manifest.spec.discovery).labels);
}
