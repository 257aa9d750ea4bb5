import { hasDiscovery } from "../cluster";
import { discoveryManifests } from "../discovery/manifests";
import type { KubernetesFields } from "../kubernetes/pod";
import { membersOf } from "../members";
import type { RenderedCluster } from "../render";
import type { RenderedPod } from "./podLists";

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
