import { memberName } from "../topology/names";
import { ports } from "../topology/ports";
import { memberImage } from "./cluster";
import { namespaceOf } from "./kubernetes/metadata";
import { membersOf } from "./members";
import type { OperationsArgs } from "./operations";
import type { TidbClusterManifest } from "./spec";

/** `host:port` of each Service for clients inside Kubernetes; empty if the cluster does not have the member. */
export interface Endpoints {
    readonly tidbEndpoint: string;
    readonly tiproxyEndpoint: string;
    readonly sqlEndpoint: string;
    readonly pdEndpoint: string;
}

/** @returns where clients inside Kubernetes connect. */
export function endpointsOf(manifest: TidbClusterManifest, operations: OperationsArgs | undefined): Endpoints {
    const { tidb, tiproxy } = manifest.spec;
    const tidbEndpoint = endpoint(manifest, "tidb", tidb?.service?.port ?? ports.tidb.sql);
    const tiproxyEndpoint = endpoint(manifest, "tiproxy", ports.tiproxy.sql);
    const isProxied = tiproxy !== undefined && tiproxy.replicas > 0 && !(operations?.sqlEndpoint === "tidb" && tidb);
    const sqlEndpoint = isProxied ? tiproxyEndpoint : tidbEndpoint;
    return { tidbEndpoint, tiproxyEndpoint, sqlEndpoint, pdEndpoint: endpoint(manifest, "pd", ports.pd.client) };
}

function endpoint(manifest: TidbClusterManifest, component: "pd" | "tidb" | "tiproxy", port: number): string {
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

/** The specifications of the StatefulSets, by component. A suspended member has none. */
export type DeployedPods = Readonly<
    Record<string, { template?: { spec?: { containers: { name: string; image?: string }[] } } } | undefined>
>;

/**
 * @param deployed what Pulumi does not change while the cluster is paused.
 * @returns the image of each member of a paused cluster: the deployed one, or that of the program if nothing is deployed.
 */
export function imagesOfPaused(wanted: Record<string, string>, deployed: DeployedPods): Record<string, string> {
    const found = (component: string) =>
        deployed[component]?.template?.spec?.containers.find(({ name }) => name === component)?.image;
    return Object.fromEntries(
        Object.entries(wanted).map(([component, image]) => [component, found(component) ?? image]),
    );
}
