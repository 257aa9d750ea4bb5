import * as assert from "node:assert/strict";
import { createAuthority, issue } from "../support/certificates/certificates";
import { withTls, writeCertificates } from "../support/e2e/clusterCertificates";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { realSpec } from "../support/real/clusterSpec";
import { describeOnRealCluster } from "../support/real/realSuite";
import { askWith } from "../support/real/tlsQuestions";

const namespace = "secure";
const secure = (config: object = {}): ClusterChange => realSpec({ spec: withTls, tikv: { replicas: 3, config } });
let stack: ClusterStack;

describeOnRealCluster(
    "TLS on real processes",
    {
        namespace,
        open: async (real) => {
            stack = await clusterStack(real, namespace);
            const authority = await createAuthority("tidb");
            await writeCertificates(real, namespace, authority);
            return askWith(authority, await issue(authority, ["test"]));
        },
    },
    ({ suite, deployment, operation }) => {
        deployment(() => stack.up(secure()));

        it("PD and TiKV answer no client without a certificate", async () => {
            const { real } = suite();
            for (const [pod, port, path] of [
                ["demo-pd-0", 2379, "/pd/api/v1/members"],
                ["demo-tikv-0", 20180, "/config"],
            ] as const) {
                const { host, port: at } = (await real.reach(namespace, pod, port))!;
                const signal = AbortSignal.timeout(10_000);
                const plain = await fetch(`http://${host}:${at}${path}`, { signal }).then(
                    ({ ok }) => ok,
                    () => false,
                );
                assert.equal(plain, false, `${pod} answers plain HTTP`);
                await assert.rejects(fetch(`https://${host}:${at}${path}`), `${pod} answers without a certificate`);
            }
            assert.equal((await suite().pd<{ members: unknown[] }>("/pd/api/v1/members")).members.length, 3);
        });

        operation("a restart of every TiKV with TLS, by its configuration", 3, () =>
            stack.up(secure({ server: { "grpc-concurrency": 4 } })),
        );
    },
);
