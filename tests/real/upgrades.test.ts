import { type ClusterStack, clusterStack } from "../support/e2e/stack";
import { realSpec, version } from "../support/real/clusterSpec";
import { describeOnRealCluster } from "../support/real/realSuite";

const namespace = "upgrades";
const upgrades = Number(process.env.PULUMI_TIDB_UPGRADES ?? 10);
let stack: ClusterStack;

describeOnRealCluster(
    "upgrades on real processes",
    {
        namespace,
        whyNot:
            process.env.PULUMI_TIDB_PROCESSES === undefined
                ? "NOT RUN: only programs of this machine serve tags that no registry has"
                : undefined,
        open: async (real) => {
            stack = await clusterStack(real, namespace);
            return undefined;
        },
    },
    ({ deployment, operation }) => {
        deployment(() => stack.up(realSpec()));
        for (let index = 1; index <= upgrades; index++) {
            operation(`upgrade ${index} of every member`, 4, () =>
                stack.up(realSpec({ version: `${version}-${index}` })),
            );
        }
    },
);
