import { type Command, Option } from "commander";
import type { CheckedManifest } from "../components/checkManifest";
import type { OperationsArgs } from "../components/operations";
import type { ClusterPlan } from "../plan/clusterPlan";
import type { PlanSources } from "../plan/planSources";
import { clusterFailure } from "./clusterFailure";
import { accessOf, addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { type CommandResult, finish, type ManifestOptions, outputOf, readInput, refused } from "./manifestFile";
import { readOperations } from "./operationsFile";
import { addPdAddressOption } from "./pdAddress";
import { noticesOf } from "../provider/lifecycle/vocabulary/notices";

type PlanFormat = "text" | "json" | "markdown";

/** The options of `plan`. */
interface PlanOptions extends ClusterOptions, Pick<ManifestOptions, "only" | "strict"> {
    readonly output: PlanFormat;
    readonly operations?: string;
    readonly pdAddress?: string;
    readonly detailedExitcode?: boolean;
    readonly trace?: boolean;
}

/** Adds `plan FILE`: prints what `pulumi preview` would show of the gates, without Pulumi. */
export function addPlanCommand(program: Command): void {
    const name = program.name();
    const command = program
        .command("plan")
        .description("print the steps that `pulumi up` would take with the live clusters of a manifest, without Pulumi")
        .argument("<file>", "manifest, YAML or JSON; - reads standard input")
        .addOption(
            new Option("-o, --output <format>", "format of the plan; json: for programs; markdown: for a pull request")
                .choices(["text", "json", "markdown"] satisfies PlanFormat[])
                .default("text" satisfies PlanFormat),
        )
        .option("--only <kind/name>", "cluster to plan, such as TidbCluster/basic (default: every cluster of the file)")
        .option(
            "--operations <file>",
            "file, YAML or JSON, with the fields of the program's `operations`, such as timeouts",
        );
    addPdAddressOption(addClusterOptions(command))
        .option("--strict", "exit with code 1 if there are warnings; the plan is printed all the same")
        .option(
            "--trace",
            "show the dry run too: what would be done for which condition, what holds, and what was read (text and json)",
        )
        .option("--detailed-exitcode", "exit with code 2 if there is anything to do")
        .addHelpText(
            "after",
            `
Reads the live cluster and changes nothing. Needs neither a stack nor the Pulumi CLI. The manifest, --operations and
--pd-address must be what the program passes to TidbCluster; then the steps are those of \`pulumi preview\`.

The plan does not show which Kubernetes objects are created, changed or deleted: \`pulumi preview\` does. It is made as if
the stack that owns the cluster asked for it. Without a stack, a new name or namespace looks like a first deployment.

Exit codes:
  0  nothing is refused (with --detailed-exitcode: and there is nothing to do)
  1  an error, or a step is refused: \`pulumi up\` would fail before it changes anything
  2  only with --detailed-exitcode: there is something to do, or the plan is deferred, as for a first deployment

Examples:
  ${name} plan cluster.yaml
  ${name} plan cluster.yaml --context production --detailed-exitcode
  ${name} plan cluster.yaml --trace
  ${name} plan cluster.yaml --output markdown > comment.md`,
        )
        .action(async (file: string, options: PlanOptions) => {
            await finish(await plan(file, options, readInput));
            // Port-forwards stay open for later questions to PD and would keep the process alive: there are none.
            process.exit();
        });
}

/**
 * Plans the clusters of a file. Nothing is printed of a plan that is not whole: if a cluster cannot be read, the result is
 * one error.
 * @param sources how clusters are read. Default: through the kubeconfig.
 */
export async function plan(
    file: string,
    options: PlanOptions,
    read: (file: string) => string,
    sources?: PlanSources,
): Promise<CommandResult> {
    const { only, strict, pdAddress } = options;
    let clusters: CheckedManifest[] = [];
    let ofText: readonly string[] = [];
    const keep: Parameters<typeof outputOf>[2] = (found, _initializers, _work, about) => {
        clusters = found;
        ofText = about;
        return "";
    };
    // Not `strict`: with a warning of the file the plan is printed too, and then it fails.
    const checked = outputOf([file], read, keep, { only });
    if (checked.exitCode !== 0) {
        return checked;
    }
    const { errors } = checked;
    let operations: OperationsArgs | undefined;
    try {
        operations = options.operations === undefined ? undefined : readOperations(options.operations, read);
    } catch (error) {
        return refused(`${errors}error: ${(error as Error).message}\n`);
    }
    const access = accessOf(options);
    const { planCluster, renderMembers, liveSources, ...writers } = planning();
    let from: PlanSources;
    try {
        from = sources ?? liveSources(await optionsKubeConfig(access));
    } catch (error) {
        return refused(`${errors}error: ${clusterFailure(error)}\n`);
    }
    const plans: ClusterPlan[] = [];
    const doubtful = errors === "" ? [] : ["the manifest"];
    for (const [index, cluster] of clusters.entries()) {
        try {
            const found = await planCluster(
                { ...renderMembers(cluster.manifest, operations), risks: cluster.risks },
                { access, operations, pdAddress, traces: options.trace === true },
                from,
            );
            // The text goes to a terminal, where the file's warnings were shown before. A comment on a pull request has them nowhere else.
            const ofFile = noticesOf(
                "manifest",
                ...(index === 0 ? ofText : []),
                ...cluster.warnings.map(({ message }) => message),
            );
            if (found.warnings.length > 0) {
                doubtful.push(`the plan of ${titleOf(found)}`);
            }
            plans.push({
                ...found,
                warnings: [...(options.output === "text" ? [] : ofFile), ...found.warnings],
            });
        } catch (error) {
            const { name, namespace = "default" } = cluster.manifest.metadata;
            return refused(`${errors}error: TidbCluster ${namespace}/${name}: ${clusterFailure(error)}\n`);
        }
    }
    const failures = [
        ...plans.flatMap(refusalOf),
        ...(strict && doubtful.length > 0
            ? [`--strict is set, and there are warnings about ${doubtful.join(" and ")}`]
            : []),
    ];
    const isSomething = plans.some((one) => writers.planState(one) === "something");
    return {
        output: writers.write(plans, options.output),
        errors: `${errors}${failures.map((message) => `error: ${message}\n`).join("")}`,
        exitCode: failures.length > 0 ? 1 : options.detailedExitcode && isSomething ? 2 : 0,
    };
}

/** One line for a cluster that `pulumi up` would not change. The output has the reasons. */
function refusalOf(plan: ClusterPlan): string[] {
    const gates = plan.refusals.map(({ gate }) => gate);
    return gates.length > 0
        ? [`${titleOf(plan)}: the plan is refused by ${gates.join(", ")}; the output says why`]
        : [];
}

function titleOf({ namespace, name }: ClusterPlan): string {
    return `TidbCluster ${namespace}/${name}`;
}

/** Loads what planning needs. Other commands start faster without it. */
function planning() {
    /* eslint-disable @typescript-eslint/no-require-imports */
    const { planCluster } = require("../plan/planCluster") as typeof import("../plan/planCluster");
    const { renderMembers } = require("../components/render") as typeof import("../components/render");
    const { liveSources } = require("../plan/planSources") as typeof import("../plan/planSources");
    const { planState } = require("../plan/clusterPlan") as typeof import("../plan/clusterPlan");
    const { jsonPlan } = require("../plan/jsonPlan") as typeof import("../plan/jsonPlan");
    const { markdownPlan } = require("../plan/markdownPlan") as typeof import("../plan/markdownPlan");
    const { textPlan } = require("../plan/textPlan") as typeof import("../plan/textPlan");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const writers = { text: textPlan, json: jsonPlan, markdown: markdownPlan };
    const write = (plans: readonly ClusterPlan[], format: PlanFormat): string => writers[format](plans);
    return { planCluster, renderMembers, liveSources, planState, write };
}
