import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { ClusterSession } from "../../../provider/cluster/session";
import type { GateProgramInputs } from "../../../provider/gates/inputs";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { told } from "./clusterWorld";
import { liveWorld } from "../../../provider/gates/gateWorld";

let cases = 0;
/** The inputs of a gate of a cluster that no other test has opened. */
const inputsOf = (cluster: string, more: object = {}) => told({ cluster, ...more }) as unknown as GateProgramInputs;

describe("the gates of one cluster in one process", () => {
    const { open } = ClusterSession;
    let opened: unknown[][];
    let asked: number;
    let cluster: string;
    /** Why no session comes about. */
    let failure: Error | undefined;

    beforeEach(() => {
        [opened, asked, failure, cluster] = [[], 0, undefined, `cluster-${(cases += 1)}`];
        ClusterSession.open = (...how) => {
            opened.push(how);
            const lease = () => {
                asked += 1;
                return Promise.reject(new KubernetesApiError("the API server did not answer", undefined));
            };
            const ports = { lease, now: () => 0 } as unknown as GatePorts;
            const session = { ports: () => ports } as unknown as ClusterSession;
            return failure ? Promise.reject(failure) : Promise.resolve(session);
        };
    });
    afterEach(() => (ClusterSession.open = open));

    const leaseOf = async (use: "check" | "effect", inputs = inputsOf(cluster)) => {
        const ports = await liveWorld.open(inputs, use);
        await assert.rejects(ports.lease(), /did not answer/);
    };

    it("share one connection", async () => {
        await leaseOf("effect");
        await leaseOf("effect");
        const { pd } = inputsOf(cluster);
        const id = { namespace: "tidb", cluster, instance: "basic", domain: undefined };
        assert.deepEqual(opened, [[{}, id, pd]]);
    });

    for (const [name, more] of [
        ["another access", { access: { context: "other" } }],
        ["another namespace", { namespace: "other" }],
        ["another label", { instance: "other" }],
        ["another domain", { domain: "other" }],
        ["another PD", { pd: { namespace: "other" } }],
        ["another Lease", { leaseUid: "lease-2" }],
    ] as const) {
        it(`have two connections with ${name}`, async () => {
            await leaseOf("effect");
            await leaseOf("effect", inputsOf(cluster, more));
            assert.equal(opened.length, 2);
        });
    }

    it("try again after a connection failed", async () => {
        failure = new Error("no kubeconfig");
        await assert.rejects(liveWorld.open(inputsOf(cluster), "check"), failure);
        failure = undefined;
        await leaseOf("check");
        assert.equal(opened.length, 2);
    });

    it("skip an API server that was silent a moment ago in checks, and always ask it when they act", async () => {
        await leaseOf("check");
        await leaseOf("check");
        assert.equal(asked, 1);
        await leaseOf("effect");
        await leaseOf("effect");
        assert.equal(asked, 3);
    });

    it("ask it again in a check after a gate has acted", async () => {
        await leaseOf("check");
        await leaseOf("effect");
        await leaseOf("check");
        assert.equal(asked, 3);
    });
});
