import type { Command } from "commander";
import { createKubernetesApi } from "../provider/cluster/kubernetesApi";
import { readLease, requestStop } from "../provider/cluster/leaseNotes";
import { readJournal } from "../provider/cluster/journal/readJournal";
import { lockHolder } from "../provider/cluster/lockHolder";
import { NoSuchCluster } from "../provider/cluster/noSuchCluster";
import { clusterFailure } from "./clusterFailure";
import { stopAnswer } from "./stopAnswer";
import { addClusterOptions, type ClusterOptions, optionsKubeConfig } from "./clusterOptions";

interface StopOptions extends ClusterOptions {
    readonly namespace: string;
}

/**
 * Adds `stop`: asks the run that operates a cluster to end at its next safe point. Ctrl-C alone does not reach a gate.
 */
export function addStopCommand(program: Command): void {
    const name = program.name();
    const command = program
        .command("stop")
        .description(
            "ask the run that operates a cluster to end at its next safe point; the next `pulumi up` continues it",
        )
        .argument("<cluster>", "name of the cluster")
        .option("-n, --namespace <namespace>", "namespace of the cluster", "default");
    addClusterOptions(command)
        .addHelpText(
            "after",
            `
Needs neither the program nor the Pulumi CLI. CLUSTER is the TidbCluster's name in Kubernetes. The request is meant for the run
that holds the cluster's lock; if none does, for every run that is under way. It never stops an update that begins later.

Exit codes:
  0  the request was recorded; the output says whom it asks
  1  an error: there is no such cluster, or the API server did not confirm the request

Examples:
  ${name} stop basic -n tidb`,
        )
        .action(async (cluster: string, options: StopOptions) => {
            try {
                process.stdout.write(`${await stop(cluster, options)}\n`);
            } catch (error) {
                process.stderr.write(`error: ${clusterFailure(error)}\n`);
                process.exitCode = 1;
            }
        });
}

async function stop(cluster: string, { namespace, ...access }: StopOptions): Promise<string> {
    const api = await createKubernetesApi(await optionsKubeConfig(access));
    const lease = await readLease(api, namespace, cluster);
    if (!lease) {
        throw new NoSuchCluster(namespace, cluster, api.server);
    }
    await requestStop(api, namespace, cluster, lockHolder(), lease.lock.holder);
    // After the request, which must not wait for it.
    const journal = await readJournal(api, { namespace, cluster }, Date.now);
    return stopAnswer({ namespace, cluster }, lease, journal, Date.now());
}
