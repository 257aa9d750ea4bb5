import { realSpec, version } from "../support/real/clusterSpec";
import { operatedCluster, type OperatedCluster, quietMilliseconds } from "../support/real/operatedCluster";
import { describeOnRealCluster } from "../support/real/realSuite";

const namespace = "operated";
const next = process.env.PULUMI_TIDB_NEXT_VERSION ?? `${version}-next`;
const quiet = `${quietMilliseconds / 1000} s of it quiet`;
let cluster: OperatedCluster;

/** The operations of operations.test.ts that TiDB Operator has too, with the same clients. */
describeOnRealCluster(
    "the same operations by TiDB Operator",
    {
        namespace,
        whyNot:
            process.env.PULUMI_TIDB_OPERATOR === undefined
                ? "NOT RUN: PULUMI_TIDB_OPERATOR does not say that TiDB Operator runs in the cluster"
                : undefined,
        open: async (real) => {
            cluster = await operatedCluster(real.sandbox.kubeconfig, namespace);
            return undefined;
        },
    },
    ({ deployment, operation }) => {
        const restarted = { config: { server: { "grpc-concurrency": 4 } } };
        deployment(() => cluster.up(realSpec()));
        operation(`a restart of every TiKV, by its configuration (${quiet})`, 4, () =>
            cluster.up(realSpec({ tikv: restarted })),
        );
        operation(`an upgrade of every member to another tag (${quiet})`, 4, () =>
            cluster.up(realSpec({ tikv: restarted, version: next })),
        );
        operation(`scale-out of TiKV 4 → 5 (${quiet})`, 0, () =>
            cluster.up(realSpec({ tikv: { ...restarted, replicas: 5 }, version: next })),
        );
        operation(`scale-in of TiKV 5 → 4 (${quiet})`, 1, () =>
            cluster.up(realSpec({ tikv: restarted, version: next })),
        );
    },
);
