import * as assert from "node:assert/strict";
import { startNode, stopNode } from "pulumi-tidb-sandbox";
import { assertOk, planOf, until } from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { realSpec } from "../support/real/clusterSpec";
import { describeOnRealCluster } from "../support/real/realSuite";

interface Stores {
    stores: { store: { id: number; address: string; state_name: string }; status: { region_count: number } }[];
}

const namespace = "failover";
/** PD's default is 30 minutes, and that of TiKV's reports 10: no test waits for them. */
const spec = (tikv: Record<string, unknown> = {}): ClusterChange =>
    realSpec({
        pd: { config: { schedule: { "max-store-down-time": "30s" } } },
        tikv: {
            config: {
                // Twice the time of the check, which is at least twice that of an election: TiKV does not start otherwise.
                raftstore: { "max-peer-down-duration": "50s", "peer-stale-state-check-interval": "25s" },
            },
            ...tikv,
        },
        operations: { failover: { periodSeconds: 30 } },
    });
let stack: ClusterStack;
let stopped: { node: string; pod: string; id: number };

describeOnRealCluster(
    "failover on real processes",
    {
        namespace,
        // So many that a TiKV is alone on one of them.
        sandbox: { nodes: 15 },
        whyNot: process.env.PULUMI_TIDB_PROCESSES === undefined ? "NOT RUN: it stops a node of a sandbox" : undefined,
        open: async (real) => {
            stack = await clusterStack(real, namespace);
            return undefined;
        },
    },
    ({ suite, deployment, operation }) => {
        deployment(() => stack.up(spec()));

        operation("a node with a TiKV is lost, and the TiKV replaced", 0, async () => {
            const { real } = suite();
            const alone = await aloneOnNode();
            stopped = { ...alone, id: (await storeOf(alone.pod)).store.id };
            await stopNode(real.sandbox.kubeconfig, stopped.node);
            await until("PD calls the store Down", async () => (await stateOf(stopped.pod)) === "Down", 240_000);
            await until(
                "the preview replaces the store",
                async () => {
                    const plan = planOf(assertOk(await stack.preview(spec())), "demo-tikv-scale");
                    return plan.some((step) => step.startsWith(`replace ${stopped.pod} `));
                },
                240_000,
            );
            const run = await stack.up(spec());
            assert.equal(await stateOf("demo-tikv-4"), "Up");
            await until(
                "every region has its replicas on other stores",
                async () => (await storeOf(stopped.pod)).status.region_count === 0,
                400_000,
            );
            return run;
        });

        operation("the node is back, and the replacement is removed", 1, async () => {
            await startNode(suite().real.sandbox.kubeconfig, stopped.node);
            await until("the store is Up again", async () => (await stateOf(stopped.pod)) === "Up", 120_000);
            const run = await stack.up(spec({ recoverFailover: true }));
            assert.equal((await storeOf(stopped.pod)).store.id, stopped.id, "the same store");
            assert.equal((await suite().pods("tikv")).length, 4);
            return run;
        });

        /** A TiKV that has no other pod of the cluster on its node. */
        async function aloneOnNode(): Promise<{ node: string; pod: string }> {
            const pods = await suite().real.kubernetes.pods(namespace);
            const nodes = pods.map(({ spec: of }) => of?.nodeName);
            const found = (await suite().pods("tikv")).find(
                ({ spec: of }) => nodes.filter((node) => node === of?.nodeName).length === 1,
            );
            assert.ok(found, "no TiKV is alone on its node");
            return { node: found.spec?.nodeName ?? "", pod: found.metadata?.name ?? "" };
        }

        async function storeOf(pod: string): Promise<Stores["stores"][number]> {
            const { stores } = await suite().pd<Stores>("/pd/api/v1/stores");
            const found = stores.find(({ store }) => store.address.startsWith(`${pod}.`));
            assert.ok(found, `PD has no store of ${pod}`);
            return found;
        }

        async function stateOf(pod: string): Promise<string> {
            return (await storeOf(pod)).store.state_name;
        }
    },
);
