import * as assert from "node:assert/strict";
import { assertUnchanged, until } from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { realSpec, version } from "../support/real/clusterSpec";
import { describeOnRealCluster } from "../support/real/realSuite";
import { assertNothingLost } from "../support/real/workload";

const namespace = "real";
/** A program that serves every version serves this tag too. */
const next = process.env.PULUMI_TIDB_NEXT_VERSION ?? `${version}-next`;
let stack: ClusterStack;
/** What the operations until now have asked for. */
let asked: ClusterChange = { operations: { rollout: { online: true } } };

describeOnRealCluster(
    "operations on real processes",
    {
        namespace,
        open: async (real) => {
            stack = await clusterStack(real, namespace);
            return undefined;
        },
    },
    ({ suite, deployment, operation }) => {
        deployment(() => stack.up(realSpec(asked)));

        operation("settings of TiKV and PD online", 0, async () => {
            const before = await runs();
            assert.deepEqual(await poolSizes(), [2, 2, 2, 2]);
            const run = await change({
                pd: { config: { schedule: { "leader-schedule-limit": 8 } } },
                tikv: { config: { raftstore: { "apply-pool-size": 3 } } },
            });
            assert.deepEqual(await poolSizes(), [3, 3, 3, 3], "each TiKV itself reports what was set");
            const { schedule } = await suite().pd<{ schedule: Record<string, unknown> }>("/pd/api/v1/config");
            assert.equal(schedule["leader-schedule-limit"], 8);
            assert.deepEqual(await runs(), before, "no container was started again");
            return run;
        });

        operation("a restart of every TiKV, by its configuration", 4, () =>
            change({ tikv: { config: { raftstore: { "apply-pool-size": 3 }, server: { "grpc-concurrency": 4 } } } }),
        );
        operation("an upgrade of every member to another tag", 4, () => change({ version: next }));
        operation("scale-out of TiKV 4 → 5", 0, () => change({ tikv: { replicas: 5 } }));
        operation("scale-in of TiKV 5 → 4", 1, () => change({ tikv: { replicas: 4 } }));
        operation("growth of TiKV's disks", 4, () =>
            change({ tikv: { requests: { storage: "5Gi" }, limits: { storage: "5Gi" } } }),
        );

        operation("a restart of every TiKV while PD's leader is killed during an eviction", 4, async () => {
            const running = stack.startUp(wanted({ tikv: { annotations: { "example.com/restart": "first" } } }));
            await until("a store is being emptied", isEvicting, 300_000);
            const { real, pd } = suite();
            const { name } = await pd<{ name: string }>("/pd/api/v1/leader");
            if (real.own === undefined) {
                await real.kubernetes.deletePod(namespace, name);
            } else {
                real.own.processes?.signal(namespace, name, "SIGKILL");
            }
            return running.done;
        });

        operation("a restart of every TiKV that is killed and run again", 4, async () => {
            const running = stack.startUp(wanted({ tikv: { annotations: { "example.com/restart": "second" } } }));
            await until("a store is being emptied", isEvicting, 300_000);
            running.kill();
            await running.done;
            return change({});
        });

        it("nothing is left to do, and no transfer of all operations is lost", async () => {
            assertUnchanged(await change({}));
            const audit = await suite().bank?.audit();
            if (audit !== undefined) {
                assertNothingLost(audit);
            }
        });

        /** How often each container was started, by the UID of its pod. */
        async function runs(): Promise<unknown> {
            const pods = await suite().real.kubernetes.pods(namespace);
            return pods
                .map(({ metadata, status }) => [
                    metadata?.name,
                    metadata?.uid,
                    status?.containerStatuses?.map(({ name, restartCount }) => `${name} ${restartCount}`),
                ])
                .sort();
        }

        async function poolSizes(): Promise<unknown[]> {
            const names = (await suite().pods("tikv")).map(({ metadata }) => metadata?.name ?? "");
            const configs = names.map((name) => suite().tikv<{ raftstore: Record<string, unknown> }>(name, "/config"));
            return (await Promise.all(configs)).map(({ raftstore }) => raftstore["apply-pool-size"]);
        }

        async function isEvicting(): Promise<true | undefined> {
            // Without such a scheduler, PD answers with a text.
            const list = await suite()
                .pd<{ "store-id-ranges"?: object }>("/pd/api/v1/scheduler-config/evict-leader-scheduler/list")
                .catch(() => undefined);
            return Object.keys(list?.["store-id-ranges"] ?? {}).length > 0 ? true : undefined;
        }
    },
);

/** Adds a change to what was asked for before. */
function wanted(more: ClusterChange): ClusterChange {
    const [pd, tikv] = [
        { ...asked.pd, ...more.pd },
        { ...asked.tikv, ...more.tikv },
    ];
    asked = { ...asked, ...more, pd, tikv };
    return realSpec(asked);
}

function change(more: ClusterChange) {
    return stack.up(wanted(more));
}
