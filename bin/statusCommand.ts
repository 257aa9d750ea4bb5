import { type Command, InvalidArgumentError, Option } from "commander";
import type { ClusterStatus } from "../status/clusterStatus";
import type { StatusRequest } from "../status/readStatus";
import type { StatusSources } from "../status/statusSources";
import { clusterFailure } from "./clusterFailure";
import { accessOf, addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { type CommandResult, finish, refused } from "./manifestFile";
import { addPdAddressOption, addPdClusterOption } from "./pdAddress";

type StatusFormat = "text" | "json" | "html";

/** The options of `status`. */
export interface StatusOptions extends ClusterOptions {
    readonly namespace: string;
    readonly output: StatusFormat;
    readonly pdAddress?: string;
    readonly pdCluster?: string;
    readonly watch?: boolean;
    /** Seconds. */
    readonly interval: number;
    readonly detailedExitcode?: boolean;
}

/** Seconds between two looks of `--watch`. */
const defaultInterval = 5;

function seconds(text: string): number {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < 1 || value > 3600) {
        throw new InvalidArgumentError(`found "${text}", expected whole seconds from 1 to 3600`);
    }
    return value;
}

/** Adds `status CLUSTER`: shows the live state of a cluster. */
export function addStatusCommand(program: Command): void {
    const name = program.name();
    const command = program
        .command("status")
        .description("show a cluster's members, stores, evictions and the operation in progress")
        .argument("<cluster>", "name of the cluster")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default")
        .addOption(
            new Option(
                "-o, --output <format>",
                "text; json: for programs; html: one page that draws zones, nodes and pods",
            )
                .choices(["text", "json", "html"] satisfies StatusFormat[])
                .default("text" satisfies StatusFormat),
        )
        .option("-w, --watch", "keep showing it; without a terminal, print a line for each change")
        .option("--interval <seconds>", "with --watch: seconds between two readings", seconds, defaultInterval);
    addPdClusterOption(addPdAddressOption(addClusterOptions(command)))
        .option("--detailed-exitcode", "exit with code 2 if the cluster is not Ready")
        .addHelpText(
            "after",
            `
Reads the cluster and changes nothing. Needs neither the program nor the Pulumi CLI. CLUSTER is the TidbCluster's name in
Kubernetes. What PD or a pod does not answer is shown as not known, with the reason.

Exit codes:
  0  everything that was asked is known
  1  an error: there is no such cluster, or the API server cannot be asked
  2  only with --detailed-exitcode: everything is known, and the cluster is not Ready
  3  something is not known, such as the stores while PD does not answer

Examples:
  ${name} status basic -n tidb
  ${name} status basic -n tidb --watch
  ${name} status basic -n tidb --output html > status.html
  ${name} status basic -n tidb --output json | jq .conditions`,
        )
        .action(async (cluster: string, options: StatusOptions) => {
            await finish(options.watch === true ? await watch(cluster, options) : await status(cluster, options));
            // Port-forwards stay open for later questions and would keep the process alive: there are none.
            process.exit();
        });
}

/** Shows the status of a cluster once. @param sources how it is read. Default: through the kubeconfig. */
export async function status(cluster: string, options: StatusOptions, sources?: StatusSources): Promise<CommandResult> {
    try {
        const read = await reader(cluster, options, sources);
        const found = await read();
        return { output: writers()[options.output](found), ...ending(found, options) };
    } catch (error) {
        return refused(`error: ${clusterFailure(error)}\n`);
    }
}

/** Exit code and errors for a status that was read. */
function ending(
    { name, namespace, notKnown, conditions }: ClusterStatus,
    { detailedExitcode }: StatusOptions,
): Pick<CommandResult, "errors" | "exitCode"> {
    if (notKnown.length > 0) {
        const errors = `error: TidbCluster ${namespace}/${name}: not everything is known; the output says what and why\n`;
        return { errors, exitCode: 3 };
    }
    const isReady = conditions.every((condition) => condition.status === "True");
    return { errors: "", exitCode: detailedExitcode === true && !isReady ? 2 : 0 };
}

async function watch(cluster: string, options: StatusOptions): Promise<CommandResult> {
    if (options.output !== "text") {
        return refused(`error: --watch: found --output ${options.output}, expected text: only text is shown again\n`);
    }
    /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
    const { watchStatus } = require("../status/watchStatus") as typeof import("../status/watchStatus");
    const { KubernetesApiError } =
        require("../provider/cluster/apiCall") as typeof import("../provider/cluster/apiCall");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const { stdout } = process;
    stdout.on("error", () => undefined); // The failed write ends the watch.
    try {
        const isFinal = (error: Error) => !(error instanceof KubernetesApiError && error.isTransient);
        await watchStatus(await reader(cluster, options), isFinal, options.interval * 1000, {
            isTerminal: stdout.isTTY === true,
            now: Date.now,
            write: (text) => new Promise((resolve) => stdout.write(text, (error) => resolve(!error))),
            sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
        });
        return { output: "", errors: "", exitCode: 0 };
    } catch (error) {
        return refused(`error: ${clusterFailure(error)}\n`);
    }
}

/** Returns a function that reads the status once more. @throws ClusterAccessError that names the options. */
async function reader(
    cluster: string,
    options: StatusOptions,
    given?: StatusSources,
): Promise<() => Promise<ClusterStatus>> {
    /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
    const { readStatus } = require("../status/readStatus") as typeof import("../status/readStatus");
    const { liveSources } = require("../status/statusSources") as typeof import("../status/statusSources");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const { namespace, output, pdAddress, pdCluster } = options;
    const access = accessOf(options);
    // The text does not show zones, and each costs a call.
    const zones = output !== "text";
    const request: StatusRequest = { namespace, cluster, access, zones, jobs: true, pdAddress, pdCluster };
    const sources = given ?? liveSources(await optionsKubeConfig(access));
    return () => readStatus(request, sources);
}

function writers(): Readonly<Record<StatusFormat, (status: ClusterStatus) => string>> {
    /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
    const { jsonStatus } = require("../status/jsonStatus") as typeof import("../status/jsonStatus");
    const { htmlStatus } = require("../status/htmlStatus") as typeof import("../status/htmlStatus");
    const { textStatus } = require("../status/textStatus") as typeof import("../status/textStatus");
    /* eslint-enable @typescript-eslint/no-require-imports */
    return { text: textStatus, json: jsonStatus, html: htmlStatus };
}
