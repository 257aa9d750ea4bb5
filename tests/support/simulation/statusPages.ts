import type { Observers } from "../../../provider/cluster/observeCluster";
import type { Performers } from "../../../provider/cluster/perform";
import type { PodCalls } from "../../../provider/cluster/podCalls";
import { heartbeatSettings, regionGaugeLine } from "../../../sandbox/dataPlane/facts/tikvStatus";
import type { SimulatedProcess } from "./process";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { UpgradedServers } from "../../../provider/lifecycle/vocabulary/smoothUpgrade";
import { imageTagOf } from "./kubernetes";
import { judgeUpgrade } from "./rules";
import { runs } from "./truth";
import type { Kubernetes, World } from "./world";

/** As TiDB writes it. */
const version = "8.0.11-TiDB-v8.5.3";

/** What pods report about themselves: TiKV's gauge and configuration, and whether TiDB and TiFlash are healthy. */
export function createModelPages(
    world: World,
    cluster: Kubernetes,
    process: SimulatedProcess,
): {
    tikv: Pick<PodCalls, "call" | "keepOnly">;
    status: Observers["statusPages"];
    tidbUpgrade: Observers["tidbUpgrade"] & Performers["tidbUpgrade"];
    tidbLabels: Observers["tidbLabels"] & Performers["tidbLabels"];
} {
    const podOf = (name: string, uid: string) => {
        const pod = cluster.pods.find((one) => one.name === name && one.uid === uid);
        return runs(pod) ? pod : undefined;
    };
    const tellUpgrade = (isUpgrading: boolean) => async (pod: { name: string; uid: string }, assertMay: () => void) => {
        await process.connect();
        assertMay();
        return process.send(cluster, () => {
            if (!podOf(pod.name, pod.uid)) {
                throw new Error("does not answer");
            }
            judgeUpgrade(world, process, cluster, isUpgrading);
            cluster.isUpgrading = isUpgrading;
        });
    };
    return {
        tidbUpgrade: {
            read: (pods) =>
                process.send(cluster, () => {
                    const one = pods.find(({ name, uid, ready }) => ready && podOf(name, uid));
                    const state = cluster.isUpgrading
                        ? ({ state: "upgrading", servers: upgradedServers(cluster) } as const)
                        : ({ state: "normal" } as const);
                    return one === undefined
                        ? notKnown("no TiDB answers")
                        : known({ ...state, pod: one.name, uid: one.uid }, one.name, process.now());
                }),
            start: tellUpgrade(true),
            finish: tellUpgrade(false),
        },
        tidbLabels: {
            read: (pods) =>
                process.send(cluster, () => {
                    const one = pods.find(({ name, uid, ready }) => ready && podOf(name, uid));
                    const listed = pods.flatMap(({ name, uid }) =>
                        podOf(name, uid)
                            ? [{ podName: name, version, labels: cluster.serverLabels.get(uid) ?? {} }]
                            : [],
                    );
                    return one === undefined ? notKnown("no TiDB answers") : known(listed, one.name, process.now());
                }),
            set: async ({ name, uid }, labels, assertMay) => {
                await process.connect();
                assertMay();
                return process.send(cluster, () => {
                    if (!podOf(name, uid)) {
                        throw new Error("does not answer");
                    }
                    cluster.serverLabels.set(uid, { ...cluster.serverLabels.get(uid), ...labels });
                });
            },
        },
        tikv: {
            keepOnly: () => undefined,
            call: (pod, { path }) =>
                process.send(cluster, () => {
                    const found = podOf(pod.name, pod.uid);
                    const store =
                        found && world.stores.find((one) => one.claim === found.claim && one.of === cluster.key);
                    if (!found || (store && world.now < store.gaugeGoneUntil) || world.now < cluster.unreachableUntil) {
                        throw new Error("does not answer");
                    }
                    return { status: 200, text: path === "/config" ? config(world) : metrics(store?.gauge) };
                }),
        },
        status: {
            ask: (members) =>
                process.send(cluster, () =>
                    Object.fromEntries(
                        members.flatMap(({ pods }) =>
                            pods.map(({ name, uid }) => [
                                name,
                                { trouble: podOf(name, uid) ? null : "does not answer" },
                            ]),
                        ),
                    ),
                ),
        },
    };
}

function config({ heartbeats }: World): string {
    return JSON.stringify({ raftstore: heartbeatSettings(heartbeats) });
}

/** The line is missing in the first 10 s of a process, because it has not counted yet. */
function metrics(leaders: number | undefined): string {
    const lines = leaders === undefined ? [] : [regionGaugeLine("leader", leaders)];
    return `${[regionGaugeLine("region", 12), ...lines].join("\n")}\n`;
}

function upgradedServers({ pods }: Kubernetes): UpgradedServers {
    const list = pods
        .filter((pod) => pod.component === "tidb" && runs(pod))
        .map(({ name, revision }) => ({
            address: name,
            version: `8.0.11-TiDB-${imageTagOf("tidb", revision)}`,
            isOurs: true,
        }));
    const versions = list.map(({ version }) => version).sort();
    const upgraded = versions.filter((version) => version === versions.at(-1)).length;
    return { percent: Math.floor((upgraded * 100) / versions.length), list };
}
