import { hasDiscovery } from "../cluster";
import type { ComponentSpec, StorageVolume } from "../componentSpec";
import { discoveryManifests } from "../discovery/manifests";
import type { KubernetesObject } from "../kubernetes/object";
import type { KubernetesFields } from "../kubernetes/pod";
import { membersOf } from "../members";
import type { RenderedCluster } from "../render";

/** A pod template, with what the user wrote for it. */
export interface RenderedPod {
    /** Path of the spec in the manifest: `spec.tikv`. */
    readonly at: string;
    /** Name of the main container. */
    readonly container: string;
    readonly spec: ComponentSpec & { readonly storageVolumes?: StorageVolume[] };
    readonly pod: KubernetesFields;
    /** The claims that each pod gets, which are volumes of the pod. */
    readonly claims: readonly { readonly name: string }[];
    readonly services: readonly KubernetesObject[];
}

/** @returns the pod templates of a cluster: those of its members, and discovery's. */
export function renderedPods({ manifest, members }: RenderedCluster): RenderedPod[] {
    const ofMembers = membersOf(manifest.spec).flatMap((member) => {
        const rendered = members[member.component];
        const spec = member.specOf(manifest.spec);
        if (rendered === undefined || spec === undefined) {
            return [];
        }
        const { template, volumeClaimTemplates = [] } = rendered.statefulSet.spec as {
            template: { spec: KubernetesFields };
            volumeClaimTemplates?: { metadata: { name: string } }[];
        };
        return {
            at: member.pathIn(manifest.spec),
            container: member.component,
            spec,
            pod: template.spec,
            claims: volumeClaimTemplates.map(({ metadata }) => metadata),
            services: rendered.services,
        };
    });
    return hasDiscovery(manifest) ? [...ofMembers, discoveryPod(manifest)] : ofMembers;
}

function discoveryPod(manifest: RenderedCluster["manifest"]): RenderedPod {
    const { deployment } = discoveryManifests(manifest);
    const { template } = deployment.spec as { template: { spec: KubernetesFields } };
    const spec = manifest.spec.discovery ?? {};
    return { at: "spec.discovery", container: "discovery", spec, pod: template.spec, claims: [], services: [] };
}
