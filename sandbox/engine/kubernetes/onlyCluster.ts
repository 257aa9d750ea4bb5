import type { Cluster } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { existsSync, readFileSync } from "node:fs";
import { type PropertyMap } from "../values";
import { type ClusterSettings, describeSource, loadKubeconfig } from "./kubeconfig";

/** The one cluster that a run may use. */
export interface OnlyCluster {
    /** What to call it in messages, such as `the sandbox "default"`. */
    title: string;
    /** The URL of its API server, from its own record: a kubeconfig is no proof, because other tools may write into it. */
    server: string;
    /** PEM text of the certificate authority of its API server, from its own record. */
    certificateAuthority: string;
}

/** A run that may use only one cluster was led to another. Nothing was sent to that one. */
export class OtherCluster extends Error {}

/**
 * Checks that settings lead to the only cluster that the run may use: the same API server, proved by the same certificate,
 * without a proxy in between.
 *
 * @param what What uses the settings, for the message.
 * @throws OtherCluster if they lead elsewhere, or if it cannot be known where they lead
 */
export async function assertOnlyCluster(
    only: OnlyCluster,
    what: string,
    settings: ClusterSettings,
    folder: string,
): Promise<void> {
    const { server, certificateAuthority } = only;
    const { cluster: found, problem } = await clusterOf(settings, folder);
    const caData = Buffer.from(certificateAuthority).toString("base64");
    if (found !== undefined && identityOf(found) === identityOf({ server, caData })) {
        return;
    }
    const context = settings.context === undefined ? "" : `, context ${settings.context}`;
    const where =
        problem ??
        (found?.server === server
            ? `${found?.server} with another certificate or through a proxy`
            : (found?.server ?? "no cluster"));
    throw new OtherCluster(
        `${what} (kubeconfig ${describeSource(settings)}${context}): found ${where}, expected ${server}, ` +
            `the API server of ${only.title}. The sandbox's own engine never works on another cluster: nothing was sent ` +
            "to it. Leave out kubeconfig and context, in the program and in the stack's configuration: they then lead " +
            "to the sandbox. For a real cluster use the Pulumi CLI.",
    );
}

/**
 * Checks the inputs of a gate of pulumi-tidb before the gate is asked. Gates connect to Kubernetes and PD themselves.
 *
 * @throws OtherCluster if they lead to another cluster, or to PD by an address of its own
 */
export async function assertGateInSandbox(
    only: OnlyCluster,
    inputs: PropertyMap,
    settings: (access: PropertyMap) => ClusterSettings,
    folder: string,
): Promise<void> {
    const { access, pd } = inputs as { access?: PropertyMap; pd?: PropertyMap };
    if (pd?.address !== undefined) {
        throw new OtherCluster(
            `pd.address: found ${JSON.stringify(pd.address)}, expected none: in ${only.title} gates reach PD through the API server, ` +
                "and an address of its own could be that of a real PD. Nothing was sent to it. Leave out pd.address.",
        );
    }
    await assertOnlyCluster(only, "TidbCluster's gates", settings(access ?? {}), folder);
}

async function clusterOf(
    settings: ClusterSettings,
    folder: string,
): Promise<{ cluster?: Cluster; problem?: undefined } | { cluster?: undefined; problem: string }> {
    try {
        const kubeconfig = await loadKubeconfig(settings, folder);
        return { cluster: kubeconfig.getCurrentCluster() ?? undefined };
    } catch (error) {
        return { problem: `no usable cluster (${(error as Error).message})` };
    }
}

/** What the connection depends on. Two equal texts lead to the same API server. */
function identityOf({ server, caData, caFile, skipTLSVerify, proxyUrl, tlsServerName }: Partial<Cluster>): string {
    const certificate =
        caData ?? (caFile !== undefined && existsSync(caFile) ? readFileSync(caFile).toString("base64") : "none");
    return JSON.stringify([server, certificate, skipTLSVerify ?? false, proxyUrl ?? "", tlsServerName ?? ""]);
}
