import { type ApiObject, startPlayedApiServer } from "./playedApiServer";
import type { Served, ServersOptions, Wish } from "./playedCluster";
import { playedId, playedObjects } from "./playedObjects";
import { startPlayedPd } from "./playedPd";

/** The process of the played servers: their work must not count as that of the process that is measured. */
async function main(): Promise<void> {
    const options = JSON.parse(process.argv[2]) as ServersOptions;
    const pd = await startPlayedPd(options);
    const api = await startPlayedApiServer(pd.portOf);
    const objects = playedObjects(options.stores, pd.clusterId);
    for (const [resource, all] of Object.entries(objects)) {
        all.forEach((object) => api.put(resource, object as ApiObject));
    }
    const store = `${playedId.cluster}-tikv-${Math.floor(options.stores / 2)}`;
    process.on("message", (wish: Wish) => {
        if (wish === "stop-store") {
            pd.simulator.stopPod(store);
        } else if (wish === "start-store") {
            void pd.simulator.startPod(store);
        }
        process.send!(pd.requests);
    });
    process.on("disconnect", () => process.exit());
    process.send!({ kubeconfig: api.kubeconfig, leaseUid: objects.leases[0].metadata.uid } satisfies Served);
}

void main();
