import type { Command } from "commander";
import { createKubernetesApi } from "../provider/cluster/kubernetesApi";
import { readLease, recordConsent } from "../provider/cluster/leaseNotes";
import { lockHolder } from "../provider/cluster/lockHolder";
import { NoSuchCluster } from "../provider/cluster/noSuchCluster";
import { digestShape, isDigest } from "../provider/lifecycle/approval/approvalDigest";
import { type ApprovalWait, isCurrentWait } from "../provider/lifecycle/vocabulary/approvals";
import { clusterFailure } from "./clusterFailure";
import { addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";

interface ApproveOptions extends ClusterOptions {
    readonly namespace: string;
}

/** Adds `approve`: consents to the plan with a digest, for a cluster with `operations.approval`. */
export function addApproveCommand(program: Command): void {
    const command = program
        .command("approve")
        .description("consent to a plan of a cluster whose `operations.approval` asks for it")
        .argument("<cluster>", "name of the cluster")
        .argument("<digest>", "digest of the plan, as the preview and the waiting run show it")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default");
    addClusterOptions(command).action(async (cluster: string, digest: string, options: ApproveOptions) => {
        try {
            const { recorded, warning } = await approve(cluster, digest, options);
            process.stdout.write(`${recorded}\n`);
            process.stderr.write(warning === undefined ? "" : `warning: ${warning}\n`);
        } catch (error) {
            process.stderr.write(`error: ${clusterFailure(error)}\n`);
            process.exitCode = 1;
        }
    });
}

async function approve(
    cluster: string,
    digest: string,
    { namespace, ...access }: ApproveOptions,
): Promise<ApprovalAnswer> {
    if (!isDigest(digest)) {
        throw new Error(`<digest>: found ${JSON.stringify(digest)}, expected ${digestShape}; nothing was recorded`);
    }
    const api = await createKubernetesApi(await optionsKubeConfig(access));
    const lease = await readLease(api, namespace, cluster);
    if (!lease) {
        throw new NoSuchCluster(namespace, cluster, api.server);
    }
    const now = Date.now();
    await recordConsent(api, namespace, cluster, digest, { by: lockHolder(), at: now });
    return answerTo(`${namespace}/${cluster}`, digest, lease.approvalWait, now);
}

/** What the user gets to read. */
export interface ApprovalAnswer {
    readonly recorded: string;
    /** What the user may have overlooked. */
    readonly warning?: string;
}

/** @param wait what a run waits for, as the Lease notes it. @returns what was approved, as far as that is known. */
export function answerTo(cluster: string, digest: string, wait: ApprovalWait | undefined, now: number): ApprovalAnswer {
    if (!wait || !isCurrentWait(wait, now)) {
        return {
            recorded: `recorded the consent to plan ${digest} of ${cluster}; no run waits for approval now. The next run whose plan has this digest uses it, within a week. Without \`operations.approval\` no run asks`,
        };
    }
    if (wait.digest === digest) {
        return { recorded: `approved ${digest} of ${cluster}: ${wait.lets} (${wait.of}, run by ${wait.by})` };
    }
    return {
        recorded: `recorded the consent to plan ${digest} of ${cluster}`,
        warning: `${wait.by} waits for approval of another plan: ${wait.digest} (${wait.of}: ${wait.lets}). If the plan has changed, look at it again and approve that one`,
    };
}
