import { type Command, Option } from "commander";
import { createInterface } from "node:readline/promises";
import { createKubernetesApi } from "../provider/cluster/kubernetesApi";
import { digestShape, isDigest } from "../provider/lifecycle/approval/approvalDigest";
import { approveNext } from "./approveNext";
import { clusterFailure } from "./clusterFailure";
import { addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { withdrawal } from "./consentOnLease";
import { consent } from "./recordedConsent";

interface ApproveOptions extends ClusterOptions {
    readonly namespace: string;
    readonly ahead?: boolean;
    readonly withdraw?: boolean;
    readonly next?: boolean;
    readonly yes?: boolean;
}

/** Adds `approve`: consents to the plan with a digest, for a cluster with `operations.approval`. */
export function addApproveCommand(program: Command): void {
    const name = program.name();
    const command = program
        .command("approve")
        .description("consent to a plan of a cluster whose `operations.approval` asks for it")
        .argument("<cluster>", "name of the cluster")
        .argument("[digest]", "digest of the plan, as the preview and the waiting run show it; not with --next")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default");
    command.option(
        "--ahead",
        "do not refuse a plan that no run asks for yet: one that was approved and carried out before, or any while a run waits for consent to another one",
    );
    const withdraw = "take back the consent to the plan, if no run has used it yet";
    command.addOption(new Option("--withdraw", withdraw).conflicts("ahead"));
    const next = "show the plan that a run has waited for longest, ask, and consent to exactly that one";
    command.addOption(new Option("--next", next).conflicts(["ahead", "withdraw"]));
    command.option("-y, --yes", "skip the question of --next; needed where there is no terminal");
    addClusterOptions(command)
        .addHelpText(
            "after",
            `
Needs neither the program nor the Pulumi CLI. CLUSTER is the TidbCluster's name in Kubernetes. A consent is used once,
counts for a week, and never covers a plan that has changed.

Exit codes:
  0  the consent was recorded or withdrawn, or was there already; the output says which
  1  an error: there is no such cluster, a run waits for another plan, the consent was used or is not there to be withdrawn,
     or the API server did not confirm it; with --next also: no run waits, the answer was no, or the plan has changed since

Examples:
  ${name} approve basic --next -n tidb
  ${name} approve basic 3f9c2a11d0e7 -n tidb
  ${name} approve basic 3f9c2a11d0e7 -n tidb --ahead
  ${name} approve basic 3f9c2a11d0e7 -n tidb --withdraw`,
        )
        .action(async (cluster: string, digest: string | undefined, options: ApproveOptions) => {
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
    digest: string | undefined,
    { namespace, ahead = false, withdraw = false, next = false, yes = false, ...access }: ApproveOptions,
): Promise<string> {
    const problem = argumentProblem(digest, { next, yes }, Boolean(process.stdin.isTTY && process.stdout.isTTY));
    if (problem !== undefined) {
        throw new Error(`${problem}; nothing was recorded`);
    }
    const api = await createKubernetesApi(await optionsKubeConfig(access));
    if (digest === undefined) {
        const show = (text: string): unknown => process.stdout.write(text);
        return approveNext(api, { namespace, cluster }, { show, confirm: yes ? () => Promise.resolve(true) : confirm });
    }
    const plan = { namespace, cluster, digest };
    return withdraw ? withdrawal(api, plan) : consent(api, { ...plan, ahead });
}

/** @returns what is wrong with the digest and the options; undefined if nothing is. */
export function argumentProblem(
    digest: string | undefined,
    { next, yes }: Required<Pick<ApproveOptions, "next" | "yes">>,
    isTerminal: boolean,
): string | undefined {
    if (next) {
        return digest !== undefined
            ? `--next: found the digest ${JSON.stringify(digest)} next to it, expected one of them`
            : yes || isTerminal
              ? undefined
              : "--next: found no terminal to ask in, expected one, or --yes";
    }
    if (yes) {
        return "--yes: found it without --next, expected both: a digest is consented to without a question";
    }
    return digest !== undefined && isDigest(digest)
        ? undefined
        : `<digest>: found ${digest === undefined ? "nothing" : JSON.stringify(digest)}, expected ${digestShape}, or --next`;
}

/** Asks in the terminal. The end of the input declines. */
async function confirm(): Promise<boolean> {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    try {
        const answer = await Promise.race([terminal.question('Consent to it? Only "yes" is accepted: '), closed]);
        return answer.trim() === "yes";
    } finally {
        terminal.close();
    }
}
