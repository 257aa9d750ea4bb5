import { type Command, InvalidArgumentError, Option } from "commander";
import { constants } from "node:os";
import type { LogFormat } from "../controller/controllerLog";
import {
    type ControllerActionKind,
    controllerActionKinds,
    defaultControllerActions,
} from "../topology/controllerPermissions";
import { isClusterLease } from "../topology/names";
import { clusterFailure } from "./clusterFailure";
import { accessOf, addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";
import { type CommandResult, finish, refused } from "./manifestFile";

/** The options of `controller run`. */
export interface ControllerOptions extends ClusterOptions {
    readonly namespace?: readonly string[];
    readonly allNamespaces?: boolean;
    readonly cluster?: readonly NamedCluster[];
    readonly act: readonly ControllerActionKind[];
    /** Seconds. */
    readonly interval: number;
    readonly leaseNamespace?: string;
    readonly leaseName: string;
    readonly listen: Listen;
    readonly logFormat: LogFormat;
}

interface NamedCluster {
    readonly namespace: string;
    readonly cluster: string;
}

interface Listen {
    readonly host: string;
    readonly port: number;
}

const defaultInterval = 10;
const defaultLease = "pulumi-tidb-controller";
const defaultListen: Listen = { host: "0.0.0.0", port: 8080 };

function seconds(most: number): (text: string) => number {
    return (text) => {
        const value = Number(text);
        if (!/^\d+$/.test(text) || value < 1 || value > most) {
            throw new InvalidArgumentError(`found "${text}", expected whole seconds from 1 to ${most}`);
        }
        return value;
    };
}

function listen(text: string): Listen {
    const [, host, port] = /^(?:\[?([^\]]*?)\]?:)?(\d+)$/.exec(text) ?? [];
    if (port === undefined || Number(port) > 65_535) {
        throw new InvalidArgumentError(`found "${text}", expected a port or host:port, such as 127.0.0.1:8080`);
    }
    return { host: host || defaultListen.host, port: Number(port) };
}

function leaseName(text: string): string {
    if (isClusterLease(text)) {
        throw new InvalidArgumentError(`found "${text}", expected another name: the Lease of a cluster is named so`);
    }
    return text;
}

function action(text: string, earlier: readonly ControllerActionKind[] = []): ControllerActionKind[] {
    const kinds = text.split(",").map((one) => one.trim());
    const wrong = kinds.find((one) => one !== "none" && !controllerActionKinds.includes(one as ControllerActionKind));
    if (wrong !== undefined) {
        throw new InvalidArgumentError(`found "${wrong}", expected ${controllerActionKinds.join(", ")} or none`);
    }
    return [...earlier, ...kinds.filter((one): one is ControllerActionKind => one !== "none")];
}

function several(text: string, earlier: readonly string[] = []): string[] {
    return [...earlier, text];
}

function namedCluster(text: string, earlier: readonly NamedCluster[] = []): NamedCluster[] {
    const [, namespace, cluster] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
    if (cluster === undefined) {
        throw new InvalidArgumentError(`found "${text}", expected namespace/name, such as tidb/basic`);
    }
    return [...earlier, { namespace, cluster }];
}

/** Adds `controller run`: looks at clusters all the time. */
export function addControllerCommand(program: Command): void {
    const name = program.name();
    const controller = program
        .command("controller")
        .description("look after clusters all the time, as a program that runs in the cluster")
        .helpOption("-h, --help", "print this help")
        .helpCommand("help [command]", "print the help of a command");
    const command = controller
        .command("run")
        .description("look at every cluster again and again, and tell Prometheus and the log what changes")
        .option("-n, --namespace <namespace>", "namespace of clusters; may be given several times", several)
        .option("-A, --all-namespaces", "do so for the clusters of every namespace")
        .option(
            "--cluster <namespace/name>",
            "only cluster of its namespace to look after; may be given several times (default: all)",
            namedCluster,
        )
        .option(
            "--act <kinds>",
            `what it may do by itself: ${controllerActionKinds.join(", ")} or none (default: ${defaultControllerActions.join(", ")})`,
            action,
        )
        .option("--interval <seconds>", "seconds between two looks at a cluster", seconds(3600), defaultInterval)
        .option("--lease-namespace <namespace>", "namespace of the Lease by which one of several controllers leads")
        .option(
            "--lease-name <name>",
            "name of that Lease; another one for a controller of other clusters",
            leaseName,
            defaultLease,
        )
        .addOption(
            new Option("--listen <address>", "port or host:port of /healthz, /readyz and /metrics")
                .argParser(listen)
                .default(defaultListen, `${defaultListen.host}:${defaultListen.port}`),
        )
        .addOption(
            new Option("--log-format <format>", "json: an object in each line; text: for a terminal")
                .choices(["json", "text"] satisfies LogFormat[])
                .default("json" satisfies LogFormat),
        );
    addClusterOptions(command)
        .addHelpText(
            "after",
            `
Runs until it gets SIGTERM or SIGINT; a second one ends it at once. It replaces dead members unless --act says otherwise. It never upgrades, scales or configures a cluster: that
is what \`pulumi up\` is for. Of several controllers with the same Lease, one leads and the others wait.

Exit codes:
  0  it was asked to stop
  1  an error: it could not begin

Examples:
  ${name} controller run -n tidb
  ${name} controller run --all-namespaces --lease-namespace tidb-admin --act failover,drain,sweep`,
        )
        .action(async (options: ControllerOptions) => {
            await finish(await runCommand({ ...options, act: options.act ?? defaultControllerActions }));
            // Port-forwards stay open for later questions and would keep the process alive: there are none.
            process.exit();
        });
}

/** Runs the controller until a signal asks it to stop. */
export async function runCommand(options: ControllerOptions): Promise<CommandResult> {
    const { namespace, allNamespaces = false } = options;
    if (allNamespaces === (namespace !== undefined)) {
        const found = allNamespaces ? "found both" : "found neither";
        return refused(`error: ${found}, expected either --namespace or --all-namespaces\n`);
    }
    const leaseNamespace = options.leaseNamespace ?? (namespace?.length === 1 ? namespace[0] : undefined);
    if (leaseNamespace === undefined) {
        return refused(
            "error: --lease-namespace: found none, expected the namespace of the controller's own Lease: there are several namespaces\n",
        );
    }
    const clusters = options.cluster ?? [];
    const stray = clusters.find((one) => namespace?.includes(one.namespace) === false);
    if (stray !== undefined) {
        return refused(`error: --cluster: found namespace ${stray.namespace}, expected one of --namespace\n`);
    }
    // Loaded here so other commands start faster.
    /* eslint-disable @typescript-eslint/no-require-imports */
    const { startController } =
        require("../controller/startController") as typeof import("../controller/startController");
    /* eslint-enable @typescript-eslint/no-require-imports */
    try {
        const { act, interval, listen: address, logFormat } = options;
        const controller = await startController(await optionsKubeConfig(accessOf(options)), {
            access: accessOf(options),
            namespaces: namespace,
            clusters,
            lease: { namespace: leaseNamespace, name: options.leaseName },
            acts: controllerActionKinds.filter((kind) => act.includes(kind)),
            everyMilliseconds: interval * 1000,
            listen: address,
            logFormat,
            write: (line) => void process.stdout.write(`${line}\n`),
        });
        let isAsked = false;
        for (const signal of ["SIGTERM", "SIGINT"] as const) {
            process.on(signal, () => {
                if (isAsked) {
                    process.exit(128 + constants.signals[signal]);
                }
                isAsked = true;
                controller.stop();
            });
        }
        await controller.done;
        return { output: "", errors: "", exitCode: 0 };
    } catch (error) {
        return refused(`error: ${clusterFailure(error)}\n`);
    }
}
