import type { Component } from "../provider/lifecycle/observation";
import { namespaceOf } from "./kubernetes/metadata";
import { members } from "./render";
import type { TidbClusterManifest } from "./spec";

/** @returns `host:port` of a member's client Service inside Kubernetes; empty where the cluster has no such member. */
export function endpoint(manifest: TidbClusterManifest, component: Component, port: number): string {
    return manifest.spec[component]
        ? `${manifest.metadata.name}-${component}.${namespaceOf(manifest)}.svc:${port}`
        : "";
}

/** @returns the image of each member that the cluster has, by component. */
export function imagesOf(manifest: TidbClusterManifest): Record<string, string> {
    return Object.fromEntries(
        members
            .filter(({ field }) => manifest.spec[field] !== undefined)
            .map(({ field, render }) => {
                const { containers } = render(manifest).statefulSet.spec.template.spec as {
                    containers: { name: string; image: string }[];
                };
                return [field, containers.find((container) => container.name === field)?.image ?? ""];
            }),
    );
}
