import { hasDiscovery } from "./cluster";
import { discoveryManifests } from "./discovery/manifests";
import type { MemberManifests } from "./kubernetes/member";
import type { KubernetesObject } from "./kubernetes/object";
import { leaseManifest } from "./lease/manifests";
import { membersOf } from "./members";
import type { TidbClusterManifest } from "./spec";
import { isSuspended } from "./suspension";

export type { MemberManifests } from "./kubernetes/member";

/** Renders every object of a checked manifest, in the order of creation. */
export function renderCluster(manifest: TidbClusterManifest): KubernetesObject[] {
    const discovery = hasDiscovery(manifest) ? Object.values(discoveryManifests(manifest)) : [];
    const rendered = membersOf(manifest.spec).flatMap((member) =>
        memberObjects(member.render(manifest), isSuspended(manifest.spec, member)),
    );
    return [leaseManifest(manifest), ...discovery, ...rendered];
}

function memberObjects({ services, configMap, statefulSet }: MemberManifests, suspended: boolean): KubernetesObject[] {
    return [...services, ...(configMap === undefined ? [] : [configMap]), ...(suspended ? [] : [statefulSet])];
}
