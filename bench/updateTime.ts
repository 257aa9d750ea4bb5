import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./figure";
import { changesNothing, type Pair, withPair } from "./pairedPrograms";

/** The most times of a program with the same objects without gates: a first `up`, until the cluster is ready; and one without a change. */
const targets = { create: 2, unchanged: 1.3 };
const readyWithinMilliseconds = 600_000;

/**
 * Compares updates of `examples/basic` with 60 TiKV stores and of a program with the same objects as plain resources: their creation, each
 * once, and then `up` without a change, alternately.
 */
export function updateTime(stores: number, repetitions: number, log: (line: string) => void): Promise<Figure[]> {
    return withPair({ tikvReplicas: String(stores) }, log, async (pair) => {
        // The first run of each fills caches.
        await pair.run("preview", "plain");
        await pair.run("preview", "example");
        const needed = await created(pair, "plain", stores);
        const took = await created(pair, "example", stores);
        const size = `${stores} TiKV`;
        log(`created: ${needed} ms by plain resources, ${took} ms by examples/basic`);
        const unchanged = await pair.compare(
            `\`up\` without a change, ${size} / of plain resources`,
            "up",
            { repetitions, target: targets.unchanged },
            changesNothing,
        );
        return [
            {
                name: `create 3 PD, ${size}, 2 TiDB / plain resources, until all are ready`,
                measured: took / needed,
                unit: "ratio",
                target: targets.create,
                detail: `${(took / 1000).toFixed(1)} s / ${(needed / 1000).toFixed(1)} s, once, ${pair.engine}`,
            },
            unchanged,
        ];
    });
}

/** @returns how long it takes, in milliseconds, until all pods are Ready and PD calls all stores Up. */
async function created({ run, sandbox }: Pair, program: "example" | "plain", stores: number): Promise<number> {
    const namespace = program === "plain" ? "plain" : "tidb";
    const { CoreV1Api, KubeConfig } = await import("@kubernetes/client-node");
    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromFile(sandbox.kubeconfig);
    const api = kubeconfig.makeApiClient(CoreV1Api);
    const began = performance.now();
    await run("up", program);
    for (;;) {
        const { items } = await api.listNamespacedPod({ namespace });
        const isReady = (pod: (typeof items)[number]): boolean =>
            pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
        const up = sandbox.dataPlane
            .cluster(namespace, "basic")
            ?.stores()
            .filter(({ state }) => state === "Up");
        if (items.length > stores && items.every(isReady) && up?.length === stores) {
            return performance.now() - began;
        }
        if (performance.now() - began > readyWithinMilliseconds) {
            throw new Error(`${items.filter(isReady).length} of ${items.length} pods in ${namespace} are Ready`);
        }
        await sleep(100);
    }
}
