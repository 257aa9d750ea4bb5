import { checkManifest } from "../components/checkManifest";
import { clusterObjects } from "../components/render";
import { goldenCases, ownCases } from "../tests/support/goldenCases";
import type { Figure } from "./figure";
import { median } from "./statistics";

/** The replicas of a StatefulSet are one number, so a hundred times as many may cost no more than noise. */
const replicasTarget = 1.5;

/** Ten times the labels must take less than ten times the time, because labels are only part of the work. */
const labelsTarget = 5;

function cluster(tikvReplicas: number, labelCount: number): object {
    const labels = Object.fromEntries(
        Array.from({ length: labelCount }, (_, index) => [`team.example/label-${index}`, `value-${index}`]),
    );
    return {
        metadata: { name: "bench", namespace: "tidb" },
        spec: {
            version: "v8.5.3",
            labels,
            pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
            tikv: { replicas: tikvReplicas, requests: { storage: "100Gi" }, config: {} },
            tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
        },
    };
}

/** Times checking and rendering all golden clusters, and measures how the time grows with a cluster. */
export function renderGrowth(repetitions: number): Figure[] {
    const golden = goldenCases().filter(({ invalid }) => invalid === undefined);
    const manifests = (golden.length > 0 ? golden : ownCases()).map(({ manifest }) => manifest);
    const what = golden.length > 0 ? "golden clusters" : "clusters of tests and examples (found no ../shared)";
    const all = times(repetitions, () => manifests.forEach(rendered));
    return [
        {
            name: `checking and rendering all ${manifests.length} ${what}`,
            measured: median(all),
            unit: "ms",
            detail: `median of ${repetitions}; ${(median(all) / manifests.length).toFixed(2)} ms each`,
        },
        growth("1,000 TiKV replicas against 10", cluster(1_000, 20), cluster(10, 20), replicasTarget, repetitions),
        growth("200 extra labels against 20", cluster(10, 200), cluster(10, 20), labelsTarget, repetitions),
        growth(
            "1,000 replicas and 200 labels against 10 and 20",
            cluster(1_000, 200),
            cluster(10, 20),
            10,
            repetitions,
        ),
    ];
}

/** Measures the ratio of two times, alternately, so a busy machine slows both. */
function growth(name: string, large: object, small: object, target: number, repetitions: number): Figure {
    const pairs = Array.from({ length: repetitions }, () => [
        timed(() => rendered(large)),
        timed(() => rendered(small)),
    ]);
    const [slow, fast] = [0, 1].map((side) => median(pairs.map((pair) => pair[side])));
    return {
        name: `rendering ${name}`,
        measured: median(pairs.map(([one, other]) => one / other)),
        unit: "ratio",
        target,
        detail: `medians ${slow.toFixed(2)} ms and ${fast.toFixed(2)} ms of ${repetitions}; the figure is the median of the ratios`,
    };
}

function rendered(manifest: object): void {
    clusterObjects(checkManifest(manifest));
}

function times(repetitions: number, work: () => void): number[] {
    return Array.from({ length: repetitions }, () => timed(work));
}

function timed(work: () => void): number {
    const began = performance.now();
    work();
    return performance.now() - began;
}
