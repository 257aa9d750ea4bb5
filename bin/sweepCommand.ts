import { type Command, Option } from "commander";
import { clusterFailure } from "./clusterFailure";
import type { Progress } from "../provider/cluster/gatePorts";
import { callThisProcess } from "../provider/cluster/lockHolder";
import type { StatusSources } from "../status/statusSources";
import type { ClusterSweep } from "../sweep/clusterSweep";
import { accessOf, addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { type CommandResult, finish, refused } from "./manifestFile";
import { addPdAddressOption, addPdClusterOption } from "./pdAddress";

type SweepFormat = "text" | "json";

/** The options of `sweep`. */
export interface SweepOptions extends ClusterOptions {
    readonly namespace: string;
    readonly output: SweepFormat;
    readonly yes?: boolean;
    readonly pdAddress?: string;
    readonly pdCluster?: string;
    readonly detailedExitcode?: boolean;
}

/** Adds `sweep CLUSTER`: shows what earlier runs left behind, and removes it with `--yes`. */
export function addSweepCommand(program: Command): void {
    const name = program.name();
    const command = program
        .command("sweep")
        .description(
            "show what killed runs left behind in a cluster, such as evictions and locks; remove it with --yes",
        )
        .argument("<cluster>", "name of the cluster")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default")
        .addOption(
            new Option("-o, --output <format>", "text; json: for programs")
                .choices(["text", "json"] satisfies SweepFormat[])
                .default("text" satisfies SweepFormat),
        )
        .option("-y, --yes", "do remove what runs of pulumi-tidb left, under the lock that gates take");
    addPdClusterOption(addPdAddressOption(addClusterOptions(command)))
        .option("--detailed-exitcode", "exit with code 2 if anything that earlier runs left behind is still there")
        .addHelpText(
            "after",
            `
Needs neither the program nor the Pulumi CLI. CLUSTER is the TidbCluster's name in Kubernetes. Only what a run of pulumi-tidb
provably left behind is removed. A cluster that a run works on is refused. The next \`pulumi up\` does the same by itself.

Exit codes:
  0  everything that was asked is known; with --yes: what may be removed is removed
  1  an error: there is no such cluster, a run works on it, or something was not removed
  2  only with --detailed-exitcode: something that earlier runs left behind is still there
  3  something is not known, such as the evictions while PD does not answer: nothing is removed

Examples:
  ${name} sweep basic -n tidb
  ${name} sweep basic -n tidb --yes`,
        )
        .action(async (cluster: string, options: SweepOptions) => {
            callThisProcess("sweep");
            let isInterrupted = false;
            if (options.yes === true) {
                // The second one ends the process.
                process.once("SIGINT", () => (isInterrupted = true));
            }
            const again = [name, "sweep", cluster, "--namespace", options.namespace, "--yes"].join(" ");
            await finish(await sweep(cluster, options, again, () => isInterrupted));
            // Port-forwards stay open for later questions and would keep the process alive: there are none.
            process.exit();
        });
}

/**
 * Sweeps a cluster.
 * @param removing the command that removes what is left.
 * @param sources how it is read and changed. Default: through the kubeconfig.
 * @param progress what is said meanwhile. Default: on standard error.
 */
export async function sweep(
    cluster: string,
    options: SweepOptions,
    removing: string,
    isInterrupted: () => boolean,
    sources?: StatusSources,
    progress: Progress = onStandardError,
): Promise<CommandResult> {
    /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
    const { sweepCluster } = require("../sweep/sweepCluster") as typeof import("../sweep/sweepCluster");
    const { changingSources, liveSources } =
        require("../status/statusSources") as typeof import("../status/statusSources");
    const { jsonSweep } = require("../sweep/clusterSweep") as typeof import("../sweep/clusterSweep");
    const { textSweep } = require("../sweep/textSweep") as typeof import("../sweep/textSweep");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const { namespace, output, pdAddress, pdCluster, yes: removes = false } = options;
    const access = accessOf(options);
    try {
        const from = sources ?? (removes ? changingSources : liveSources)(await optionsKubeConfig(access));
        const request = { namespace, cluster, access, pdAddress, pdCluster };
        const found = await sweepCluster(request, from, { removes, progress, isInterrupted });
        return {
            output: output === "json" ? jsonSweep(found) : textSweep(found, removing),
            ...ending(found, options),
        };
    } catch (error) {
        return refused(`error: ${clusterFailure(error)}\n`);
    }
}

/** Exit code and errors of a sweep. */
function ending(
    { name, namespace, leftovers, notKnown, failure }: ClusterSweep,
    { yes, detailedExitcode }: SweepOptions,
): Pick<CommandResult, "errors" | "exitCode"> {
    const of = `error: TidbCluster ${namespace}/${name}:`;
    const left = leftovers.filter(({ isRemoved }) => isRemoved === false).map(({ target }) => target);
    if (failure !== null || left.length > 0) {
        const still = left.length > 0 ? `still there: ${left.join(", ")}` : "";
        return { errors: `${of} ${[failure, still].filter(Boolean).join("; ")}\n`, exitCode: 1 };
    }
    if (notKnown.length > 0) {
        const so = yes ? ", so nothing was removed" : "";
        return { errors: `${of} not everything is known${so}; the output says what and why\n`, exitCode: 3 };
    }
    const isLeft = leftovers.some(({ isOurs, isRemoved }) => isOurs && isRemoved !== true);
    return { errors: "", exitCode: detailedExitcode === true && isLeft ? 2 : 0 };
}

const say = (message: string): void => void process.stderr.write(`${message}\n`);

const onStandardError: Progress = {
    info: say,
    warn: ({ message }) => say(message),
    note: say,
    status: () => undefined,
};
