import { type Command, InvalidArgumentError, Option } from "commander";
import type { ClusterTimeline, TimelineDocument } from "../status/timeline/clusterTimeline";
import type { TimelineSources } from "../status/timeline/readTimeline";
import { goDurationSeconds } from "../topology/goDuration";
import { type Component, components } from "../topology/members";
import { isPodOf } from "../topology/podNames";
import { clusterFailure } from "./clusterFailure";
import { addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { type CommandResult, finish, refused } from "./manifestFile";

type TimelineFormat = "text" | "json" | "html";

/** The options of `timeline`. */
export interface TimelineOptions extends ClusterOptions {
    readonly namespace: string;
    readonly output: TimelineFormat;
    readonly member?: Component;
    readonly pod?: string;
    /** From when on, given the time now. In milliseconds since 1970. */
    readonly since?: (now: number) => number;
    /** Whether the text has all of each operation. Default: only if `member`, `pod` or `since` is given. */
    readonly all?: boolean;
}

/** @returns the time that `--since` says. @throws InvalidArgumentError if it says none. */
export function sinceOf(text: string): (now: number) => number {
    const seconds = goDurationSeconds(text);
    if (seconds !== undefined) {
        return (now) => now - seconds * 1_000;
    }
    const isTime = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text);
    const at = isTime ? Date.parse(text.replace(" ", "T")) : NaN;
    if (Number.isNaN(at)) {
        throw new InvalidArgumentError(
            `found "${text}", expected a length of time such as 90m or 48h, or a time with its zone such as 2026-11-22T17:30:00Z`,
        );
    }
    return () => at;
}

/** Adds `timeline CLUSTER`: shows what the last operations on a cluster did. */
export function addTimelineCommand(program: Command): void {
    const name = program.name();
    const command = program
        .command("timeline")
        .description("show what the last operations on a cluster did, why it was safe, and what they waited for")
        .argument("<cluster>", "name of the cluster")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default")
        .addOption(
            new Option(
                "-o, --output <format>",
                "text; json: for programs; html: one page that draws a row for each pod",
            )
                .choices(["text", "json", "html"] satisfies TimelineFormat[])
                .default("text" satisfies TimelineFormat),
        );
    command
        .addOption(new Option("--member <member>", "only what is about this member").choices(components))
        .addOption(new Option("--pod <pod>", "only what is about this pod").conflicts("member"))
        .option(
            "--since <time>",
            "only operations that ended since then, or have not ended: a length of time such as 48h, or a time with its zone",
            sinceOf,
        )
        .addOption(
            new Option(
                "--all",
                "print all of each operation; otherwise the text has all of the newest, and a line for each earlier one (json and html have all, and so has a text of a member, a pod or a time)",
            ).conflicts(["member", "pod", "since"]),
        );
    addClusterOptions(command)
        .addHelpText(
            "after",
            `
Reads the cluster's journal and changes nothing. Needs neither the program nor the Pulumi CLI. CLUSTER is the TidbCluster's
name in Kubernetes. The journal has the last operations of each run of \`pulumi up\` and \`pulumi destroy\`.

Exit codes:
  0  the journal was read; it may be empty
  1  an error: there is no such cluster, or the API server cannot be asked
  3  a part of the journal cannot be read; the output says which

Examples:
  ${name} timeline basic -n tidb
  ${name} timeline basic -n tidb --all
  ${name} timeline basic -n tidb --pod basic-tikv-2 --since 24h
  ${name} timeline basic -n tidb --output html > timeline.html
  ${name} timeline basic -n tidb --output json | jq '.operations[-1]'`,
        )
        .action(async (cluster: string, options: TimelineOptions) => finish(await timeline(cluster, options)));
}

/** Shows the timeline of a cluster. @param sources how it is read. Default: through the kubeconfig. */
export async function timeline(
    cluster: string,
    options: TimelineOptions,
    sources?: TimelineSources,
): Promise<CommandResult> {
    try {
        /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
        const { readTimeline } =
            require("../status/timeline/readTimeline") as typeof import("../status/timeline/readTimeline");
        const { filterTimeline } =
            require("../status/timeline/filterTimeline") as typeof import("../status/timeline/filterTimeline");
        /* eslint-enable @typescript-eslint/no-require-imports */
        const { namespace, member, pod, since } = options;
        if (pod !== undefined && !components.some((component) => isPodOf(pod, cluster, component))) {
            throw new Error(`--pod: found ${pod}, expected a pod of the cluster, such as ${cluster}-tikv-0`);
        }
        const found = await readTimeline(namespace, cluster, sources ?? (await liveSources(options)));
        const shown = filterTimeline(found, { member, pod, since: since?.(found.at) });
        const output = writers()[options.output](shown, options.all === true || shown.filtered !== undefined);
        if (found.unreadable.length === 0) {
            return { output, errors: "", exitCode: 0 };
        }
        const errors = `error: TidbCluster ${found.namespace}/${found.name}: a part of the journal cannot be read; the output says which\n`;
        return { output, errors, exitCode: 3 };
    } catch (error) {
        return refused(`error: ${clusterFailure(error)}\n`);
    }
}

async function liveSources(options: ClusterOptions): Promise<TimelineSources> {
    /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
    const { createKubernetesApi } =
        require("../provider/cluster/kubernetesApi") as typeof import("../provider/cluster/kubernetesApi");
    const { targetOf } =
        require("../provider/cluster/kubernetesTarget") as typeof import("../provider/cluster/kubernetesTarget");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const config = await optionsKubeConfig(options);
    return { kubernetes: targetOf(config), api: await createKubernetesApi(config), now: Date.now };
}

function writers(): Readonly<Record<TimelineFormat, (timeline: ClusterTimeline, isWhole: boolean) => string>> {
    /* eslint-disable @typescript-eslint/no-require-imports -- Loaded here so other commands start faster. */
    const { statusApiVersion } = require("../status/clusterStatus") as typeof import("../status/clusterStatus");
    const { htmlTimeline } =
        require("../status/timeline/htmlTimeline") as typeof import("../status/timeline/htmlTimeline");
    const { textTimeline } =
        require("../status/timeline/textTimeline") as typeof import("../status/timeline/textTimeline");
    /* eslint-enable @typescript-eslint/no-require-imports */
    const json = (timeline: ClusterTimeline) => {
        const document: TimelineDocument = { apiVersion: statusApiVersion, kind: "ClusterTimeline", ...timeline };
        return `${JSON.stringify(document, null, 2)}\n`;
    };
    return { text: textTimeline, json, html: htmlTimeline };
}
