import type { Command } from "commander";
import { KubernetesApiError } from "../provider/cluster/apiCall";
import { createKubernetesApi, type KubernetesApi } from "../provider/cluster/kubernetesApi";
import { readLease, recordConsent } from "../provider/cluster/leaseNotes";
import { lockHolder } from "../provider/cluster/lockHolder";
import { NoSuchCluster } from "../provider/cluster/noSuchCluster";
import { digestShape, isDigest } from "../provider/lifecycle/approval/approvalDigest";
import {
    type Approvals,
    type ApprovalWait,
    type Consent,
    describeGiven,
    endsSoon,
    isCurrentConsent,
    isCurrentWait,
} from "../provider/lifecycle/vocabulary/approvals";
import { timeInWords } from "../topology/timestamps";
import { clusterFailure } from "./clusterFailure";
import { addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";

interface ApproveOptions extends ClusterOptions {
    readonly namespace: string;
    readonly ahead?: boolean;
}

/** Adds `approve`: consents to the plan with a digest, for a cluster with `operations.approval`. */
export function addApproveCommand(program: Command): void {
    const command = program
        .command("approve")
        .description("consent to a plan of a cluster whose `operations.approval` asks for it")
        .argument("<cluster>", "name of the cluster")
        .argument("<digest>", "digest of the plan, as the preview and the waiting run show it")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default");
    command.option(
        "--ahead",
        "do not refuse a plan that no run asks for yet: one that was approved and carried out before, or any while a run waits for consent to another one",
    );
    addClusterOptions(command).action(async (cluster: string, digest: string, options: ApproveOptions) => {
        try {
            process.stdout.write(`${await approve(cluster, digest, options)}\n`);
        } catch (error) {
            process.stderr.write(`error: ${clusterFailure(error)}\n`);
            process.exitCode = 1;
        }
    });
}

async function approve(
    cluster: string,
    digest: string,
    { namespace, ahead = false, ...access }: ApproveOptions,
): Promise<string> {
    if (!isDigest(digest)) {
        throw new Error(`<digest>: found ${JSON.stringify(digest)}, expected ${digestShape}; nothing was recorded`);
    }
    return consent(await createKubernetesApi(await optionsKubeConfig(access)), { namespace, cluster, digest, ahead });
}

/** Records a consent as the Lease was read. @returns what to say. @throws Error as `answerTo`, or if the API server does not record it. */
export async function consent(
    api: Pick<KubernetesApi, "server" | "readLease" | "patchLease" | "serverNow">,
    { namespace, cluster, digest, ahead }: { namespace: string; cluster: string; digest: string; ahead: boolean },
): Promise<string> {
    for (let tries = 1; ; tries++) {
        const lease = await readLease(api, namespace, cluster);
        if (!lease) {
            throw new NoSuchCluster(namespace, cluster, api.server);
        }
        // By the API server's clock, as the run that uses it compares it: this machine's may be wrong.
        const now = lease.asOf ?? Date.now();
        const waits = Object.values(lease.approvalWaits ?? {}).filter((wait) => isCurrentWait(wait, now));
        const { said, isNew } = answerTo(`${namespace}/${cluster}`, digest, waits, ahead, lease.approvals, now);
        try {
            if (isNew) {
                const given = { by: lockHolder(), at: now };
                await recordConsent(api, namespace, cluster, digest, given, lease.resourceVersion);
            }
            return said;
        } catch (error) {
            // A run has written the Lease since it was read: it may have used the consent.
            if (!(error instanceof KubernetesApiError && error.status === 409) || tries === mostTries) {
                throw error;
            }
        }
    }
}

const mostTries = 5;

/**
 * @param waits what runs wait for, as the Lease notes it.
 * @param isAhead whether the consent is for a plan that no run asks for yet.
 * @param approvals the consents that are given, and those that were used. Default: none.
 * @param now the time with which their times are compared.
 * @returns what is approved, as far as that is known, and whether the consent is new.
 * @throws Error if runs wait for other plans, or if the consent was used, or may have been, and no run asks for the plan again.
 */
export function answerTo(
    cluster: string,
    digest: string,
    waits: readonly ApprovalWait[],
    isAhead: boolean,
    { given = {}, used = {}, usedProblem }: Partial<Approvals> = {},
    now = 0,
): { said: string; isNew: boolean } {
    // The note of a wait outlasts the wait for a moment: one from before the consent was used is over.
    const current = waits.filter(({ digest: of, at }) => !(of in used) || at >= used[of].at);
    const wait = current.find((one) => one.digest === digest);
    const [other] = current;
    if (other && !wait && !isAhead) {
        throw new Error(
            `a run waits for approval of ${other.digest}, not of ${digest} (${other.of}: ${other.lets}; run by ${other.by}). Nothing was recorded. Look at that plan; to consent to one that is not asked for yet, add --ahead`,
        );
    }
    const before = given[digest] as Consent | undefined;
    if (before && isCurrentConsent(before, now) && !endsSoon(before, now)) {
        return { said: `${digest} of ${cluster}: ${describeGiven(before)}; nothing was recorded`, isNew: false };
    }
    if (before && endsSoon(before, now)) {
        const from = `by ${before.by}, of ${timeInWords(before.at)}`;
        const said = `renewed the consent to plan ${digest} of ${cluster} (${from}), which would have ended within a day: it counts for a week from now`;
        return { said, isNew: true };
    }
    if (wait) {
        const said = `approved ${digest} of ${cluster}: ${wait.lets} (${wait.of}, run by ${wait.by})`;
        return { said, isNew: true };
    }
    if (usedProblem !== undefined && !isAhead) {
        throw new Error(
            `whether the consent to ${digest} was used before is not known: ${usedProblem}. Nothing was recorded. To consent all the same, add --ahead`,
        );
    }
    const taken = used[digest] as Consent | undefined;
    if (taken && isCurrentConsent(taken, now) && !isAhead) {
        throw new Error(
            `the consent to ${digest} by ${taken.by} was used at ${timeInWords(taken.at)}, and each consent is used once. Nothing was recorded. If a preview shows this plan again, as after a run that failed, add --ahead`,
        );
    }
    const asks = other ? `a run waits for approval of another plan, ${other.digest}` : "no run waits for approval now";
    const said = `recorded the consent to plan ${digest} of ${cluster}; ${asks}. The next run whose plan has this digest uses it, within a week. This command does not compare the digest with a plan: a preview shows whether the plan is approved. Without \`operations.approval\` no run asks`;
    return { said, isNew: true };
}
