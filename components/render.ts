import type { KubernetesObject } from "./kubernetes/object";
import type { TidbClusterManifest } from "./spec";

/** The objects of one member: its Services, its ConfigMap where it has one, its StatefulSet. */
export interface MemberManifests {
    services: KubernetesObject[];
    configMap: KubernetesObject | undefined;
    statefulSet: KubernetesObject;
}

/** Renders every object of a checked manifest, in the order of creation. */
export function renderCluster(_manifest: TidbClusterManifest): KubernetesObject[] {
    return [];
}
