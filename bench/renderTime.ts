import { checkManifest } from "../components/checkManifest";
import { clusterObjects, renderCluster } from "../components/render";
import type { Figure } from "./figure";
import { median, percentile } from "./statistics";

const targetMilliseconds = 5;

/** A cluster of the size that `upgradeTime` upgrades. */
const manifest = {
    metadata: { name: "bench", namespace: "tidb" },
    spec: {
        version: "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: { replication: { "max-replicas": 3 } } },
        tikv: { replicas: 6, requests: { storage: "100Gi" }, config: { storage: { "reserve-space": "2GB" } } },
        tidb: { replicas: 2, config: { log: { level: "info" } }, service: { type: "ClusterIP" } },
    },
};

/** Times checking and rendering a manifest in this process, after a first time that loads and compiles the code. */
export function renderTime(repetitions: number): Figure[] {
    const first = timed(() => clusterObjects(checkManifest(manifest)));
    const both: number[] = [];
    const rendering: number[] = [];
    for (let round = 0; round < repetitions; round++) {
        both.push(timed(() => clusterObjects(checkManifest(manifest))));
        const checked = checkManifest(manifest).manifest;
        rendering.push(timed(() => renderCluster(checked)));
    }
    const detail = (values: number[]): string =>
        `median of ${repetitions}; 95th percentile ${percentile(values, 95).toFixed(2)} ms; the first took ${first.toFixed(0)} ms`;
    return [
        {
            name: "rendering a cluster, after the first",
            measured: median(rendering),
            unit: "ms",
            target: targetMilliseconds,
            detail: detail(rendering),
        },
        {
            name: "rendering a cluster, 95th percentile",
            measured: percentile(rendering, 95),
            unit: "ms",
            detail: `of ${repetitions}; for information, because a busy machine interrupts some`,
        },
        { name: "checking and rendering it", measured: median(both), unit: "ms", detail: detail(both) },
    ];
}

function timed(work: () => unknown): number {
    const began = performance.now();
    work();
    return performance.now() - began;
}
