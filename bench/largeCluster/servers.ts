import { startPlayedApiServer } from "./playedApiServer";
import type { Served, ServersOptions, ServersReport, Wish } from "./playedCluster";
import { playedId, playedObjects } from "./playedObjects";
import { startPlayedPd } from "./playedPd";
import { RequestLog } from "./requestLog";

/** The process of the played servers: their work must not count as that of the process that is measured. */
async function main(): Promise<void> {
    const options = JSON.parse(process.argv[2]) as ServersOptions;
    const log = new RequestLog();
    const pd = await startPlayedPd(options, log);
    const objects = playedObjects(options.stores, pd.clusterId);
    const api = await startPlayedApiServer(log, (pod) => pd.portOf(pod));
    objects.pods.forEach((pod) => api.put("pods", pod as never));
    objects.claims.forEach((claim) => api.put("persistentvolumeclaims", claim as never));
    objects.statefulSets.forEach((one) => api.put("statefulsets", one as never));
    api.put("leases", objects.lease as never);

    const grant = (wish: Wish): ServersReport | undefined => {
        switch (wish.do) {
            case "report":
                return { requests: log.requests };
            case "repeat":
                pd.isRepeating = wish.isOn;
                return undefined;
            case "stop-store":
                pd.simulator.stopPod(`${playedId.cluster}-tikv-${wish.ordinal}`);
                return undefined;
            case "start-store":
                void pd.simulator.startPod(`${playedId.cluster}-tikv-${wish.ordinal}`);
                return undefined;
        }
    };
    process.on("message", (wish: Wish) => process.send!({ report: grant(wish) }));
    process.on("disconnect", () => process.exit());
    process.send!({ kubeconfig: api.kubeconfig, leaseUid: objects.lease.metadata!.uid! } satisfies Served);
}

void main();
