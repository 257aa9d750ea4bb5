import { hasDiscovery } from "./cluster";
import { discoveryManifests } from "./discovery/manifests";
import type { MemberManifests } from "./kubernetes/member";
import type { KubernetesObject } from "./kubernetes/object";
import { leaseManifest } from "./lease/manifests";
import { pdManifests } from "./pd/manifests";
import type { TidbClusterManifest, TidbClusterSpec } from "./spec";
import { tidbManifests } from "./tidb/manifests";
import { tikvManifests } from "./tikv/manifests";

export type { MemberManifests } from "./kubernetes/member";

/** The members that run as a StatefulSet, in the order in which a first deployment creates them. */
export const members: readonly MemberRenderer[] = [
    { field: "pd", render: pdManifests },
    { field: "tikv", render: tikvManifests },
    { field: "tidb", render: tidbManifests },
];

/** How a member is rendered, and the field of the spec that asks for it. */
export interface MemberRenderer {
    readonly field: keyof TidbClusterSpec;
    readonly render: (manifest: TidbClusterManifest) => MemberManifests;
}

/** Renders every object of a checked manifest, in the order of creation. */
export function renderCluster(manifest: TidbClusterManifest): KubernetesObject[] {
    const discovery = hasDiscovery(manifest) ? Object.values(discoveryManifests(manifest)) : [];
    const rendered = members
        .filter(({ field }) => manifest.spec[field] !== undefined)
        .flatMap(({ render }) => memberObjects(render(manifest)));
    return [leaseManifest(manifest), ...discovery, ...rendered];
}

function memberObjects({ services, configMap, statefulSet }: MemberManifests): KubernetesObject[] {
    return [...services, ...(configMap === undefined ? [] : [configMap]), statefulSet];
}
