import { memberName } from "../topology/names";
import { memberImage } from "./cluster";
import { namespaceOf } from "./kubernetes/metadata";
import { membersOf } from "./members";
import type { TidbClusterManifest } from "./spec";

/** @returns `host:port` of a member's client Service inside Kubernetes; empty if the cluster does not have the member. */
export function endpoint(manifest: TidbClusterManifest, component: "pd" | "tidb" | "tiproxy", port: number): string {
    return manifest.spec[component]
        ? `${memberName(manifest.metadata.name, component)}.${namespaceOf(manifest)}.svc:${port}`
        : "";
}

/** @returns the image of each member of the cluster, by component. */
export function imagesOf(manifest: TidbClusterManifest): Record<string, string> {
    return Object.fromEntries(
        membersOf(manifest.spec).map(({ component, specOf }) => [
            component,
            memberImage(manifest, specOf(manifest.spec) ?? {}),
        ]),
    );
}
