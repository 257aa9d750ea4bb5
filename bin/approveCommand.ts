import { type Command, Option } from "commander";
import { createKubernetesApi } from "../provider/cluster/kubernetesApi";
import type { LeaseView } from "../provider/cluster/leaseNotes";
import { lockHolder } from "../provider/cluster/lockHolder";
import { digestShape, isDigest } from "../provider/lifecycle/approval/approvalDigest";
import {
    type Approvals,
    type ApprovalWait,
    type Consent,
    describeGiven,
    endsSoon,
    isCurrentConsent,
    openWaits,
    letsInWords,
} from "../provider/lifecycle/vocabulary/approvals";
import { overdueWords } from "../status/statusWords";
import { timeInWords } from "../topology/timestamps";
import { clusterFailure } from "./clusterFailure";
import { addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { type ConsentTo, type LeaseApi, onLease, withdrawal } from "./consentOnLease";

interface ApproveOptions extends ClusterOptions {
    readonly namespace: string;
    readonly ahead?: boolean;
    readonly withdraw?: boolean;
}

/** Adds `approve`: consents to the plan with a digest, for a cluster with `operations.approval`. */
export function addApproveCommand(program: Command): void {
    const name = program.name();
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
    const withdraw = "take back the consent to the plan, if no run has used it yet";
    command.addOption(new Option("--withdraw", withdraw).conflicts("ahead"));
    addClusterOptions(command)
        .addHelpText(
            "after",
            `
Needs neither the program nor the Pulumi CLI. CLUSTER is the TidbCluster's name in Kubernetes. A consent is used once,
counts for a week, and never covers a plan that has changed.

Exit codes:
  0  the consent was recorded or withdrawn, or was there already; the output says which
  1  an error: there is no such cluster, a run waits for another plan, the consent was used or is not there to be withdrawn,
     or the API server did not confirm it

Examples:
  ${name} approve basic 3f9c2a11d0e7 -n tidb
  ${name} approve basic 3f9c2a11d0e7 -n tidb --ahead
  ${name} approve basic 3f9c2a11d0e7 -n tidb --withdraw`,
        )
        .action(async (cluster: string, digest: string, options: ApproveOptions) => {
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
    { namespace, ahead = false, withdraw = false, ...access }: ApproveOptions,
): Promise<string> {
    if (!isDigest(digest)) {
        throw new Error(`<digest>: found ${JSON.stringify(digest)}, expected ${digestShape}; nothing was recorded`);
    }
    const api = await createKubernetesApi(await optionsKubeConfig(access));
    const plan = { namespace, cluster, digest };
    return withdraw ? withdrawal(api, plan) : consent(api, { ...plan, ahead });
}

/** Records a consent as the Lease was read. @returns what to say. @throws Error as `answerTo`, or if the API server does not record it. */
export function consent(api: LeaseApi, { ahead, ...plan }: ConsentTo & { ahead: boolean }): Promise<string> {
    const { namespace, cluster, digest } = plan;
    return onLease(api, plan, ({ approvalWaits, waitsProblem, approvals }, now) => {
        const waits = Object.values(approvalWaits ?? {});
        const found = { ...approvals, waitsProblem };
        const { said, isNew } = answerTo(`${namespace}/${cluster}`, digest, waits, ahead, found, now);
        return isNew ? { said, write: { by: lockHolder(), at: now } } : { said };
    });
}

/**
 * @param waits what runs wait for, as the Lease notes it, as far as it can be read.
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
    { given = {}, used = {}, usedProblem, waitsProblem }: Partial<Approvals> & Pick<LeaseView, "waitsProblem"> = {},
    now = 0,
): { said: string; isNew: boolean } {
    const current = openWaits(waits, used, now);
    const wait = current.find((one) => one.digest === digest);
    const [other] = current;
    const overdue = ({ at }: ApprovalWait, begin: string): string => {
        const words = overdueWords(new Date(at).toISOString(), new Date(now).toISOString());
        return words === "" ? "" : `${begin}${words}`;
    };
    if (other && !wait && !isAhead) {
        throw new Error(
            `a run waits for approval of ${other.digest}, not of ${digest} (${other.of}: ${letsInWords(other)}; run by ${other.by}${overdue(other, "; ")}). Nothing was recorded. Look at that plan; to consent to one that is not asked for yet, add --ahead`,
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
        const said = `approved ${digest} of ${cluster}: ${letsInWords(wait)} (${wait.of}, run by ${wait.by})${overdue(wait, "; the run was ")}`;
        return { said, isNew: true };
    }
    if (waitsProblem !== undefined && !isAhead) {
        throw new Error(
            `whether a run waits for another plan than ${digest} is not known: ${waitsProblem}. Nothing was recorded. To consent all the same, add --ahead`,
        );
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
    const asks = other
        ? `a run waits for approval of another plan, ${other.digest}${overdue(other, "; it was ")}`
        : "no run waits for approval now";
    const said = `recorded the consent to plan ${digest} of ${cluster}; ${asks}. The next run whose plan has this digest uses it, within a week. This command does not compare the digest with a plan: a preview shows whether the plan is approved. Without \`operations.approval\` no run asks`;
    return { said, isNew: true };
}
