import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "pulumi-tidb-sandbox";
import { revisionLabel } from "../../topology/labels";
import { startPlayedApiServer } from "./playedApiServer";
import { type PlayedObjects, playedId, playedObjects, playedPod, revisions } from "./playedObjects";
import { startPlayedPd } from "./playedPd";
import { RequestLog } from "./requestLog";
import type { Served, ServersOptions, ServersReport, Wish } from "./playedCluster";

/** The process of the played servers: their work must not count as that of the process that is measured. */

/** From a deleted pod's end to its successor's creation, and to that one being Ready. */
const [createdAfter, readyAfter] = [300, 500];

async function main(): Promise<void> {
    const options = JSON.parse(process.argv[2]) as ServersOptions;
    const { stores } = options;
    const log = new RequestLog(systemClock);
    const pd = await startPlayedPd(options, log);
    const objects: PlayedObjects = playedObjects(stores, pd.clusterId);
    const tikv = objects.statefulSets[1];
    const restart = async (name: string): Promise<void> => {
        pd.simulator.stopPod(name);
        await pause(createdAfter);
        api.remove("pods", name);
        const ordinal = Number(name.split("-").at(-1));
        const startedAt = new Date();
        const starting = playedPod(tikv, "tikv", ordinal, { isReady: false, startedAt });
        api.put("pods", starting as never);
        await pause(readyAfter);
        api.put("pods", { ...playedPod(tikv, "tikv", ordinal, { startedAt }), metadata: starting.metadata } as never);
        await pd.simulator.startPod(name);
    };
    const api = await startPlayedApiServer({
        log,
        portOf: (pod, namespace) => pd.portOf(pod, namespace),
        namespace: playedId.namespace,
        onDelete: (pod) => void restart(pod),
    });
    objects.pods.forEach((pod) => api.put("pods", pod as never));
    objects.claims.forEach((claim) => api.put("persistentvolumeclaims", claim as never));
    objects.statefulSets.forEach((one) => api.put("statefulsets", one as never));
    api.put("leases", objects.lease as never);

    /** Makes the pods with these ordinals run the old revision. */
    const outdate = (ordinals: readonly number[]) =>
        ordinals.forEach((ordinal) => {
            const pod = playedPod(tikv, "tikv", ordinal);
            pod.metadata!.labels![revisionLabel] = revisions.old;
            api.put("pods", pod as never);
        });
    const report = (): ServersReport => ({ at: systemClock(), requests: log.requests, events: pd.simulator.events });
    const grant = (wish: Wish): ServersReport | undefined => {
        switch (wish.do) {
            case "report":
                return report();
            case "repeat":
                pd.isRepeating = wish.isOn;
                return undefined;
            case "outdate":
                outdate(wish.ordinals);
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
