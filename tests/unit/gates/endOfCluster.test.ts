import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { beforeClusterIsDeleted, releaseCluster } from "../../../provider/gates/destroy";
import { evicting } from "../../support/lifecycle/observations";
import { clusterWorld, deployed, leaseOf, other, owner, watchLocks } from "./clusterWorld";
import type { GateWorld } from "../../../provider/gates/gateWorld";

const destroy = (world: GateWorld) => beforeClusterIsDeleted("", deployed({ gate: "ready", members: [] }), world);

describe("the end of a cluster", () => {
    const letGo = (world: GateWorld) => releaseCluster("", deployed({ gate: "cluster" }), world);

    it("is named as the reason to whoever waits for the lock", async () => {
        const world = clusterWorld({ live: { tikv: { evicted: [11] } }, lease: leaseOf({ records: evicting(1) }) });
        world.changes = () => (world.live.tikv = {});
        const said = watchLocks(world);
        await destroy(world);
        await letGo(world);
        assert.deepEqual(said, ["destroy basic", "destroy basic", "release basic"]);
    });

    it("gives up the Lease without asking PD", async () => {
        const needs: object[] = [];
        await letGo(clusterWorld({ confirmed: (step) => needs.push(step) }));
        assert.deepEqual(needs, [{ usesPd: false, isAlone: false }]);
    });

    it("observes the cluster again, whatever a check saw", async () => {
        const uses: string[] = [];
        const world = clusterWorld();
        const { open } = world;
        world.open = (inputs, use) => {
            uses.push(use);
            return open(inputs, use);
        };
        await destroy(world);
        assert.deepEqual(uses, ["effect"]);
    });

    it("is refused for another stack's cluster, with both stacks and what to do instead", async () => {
        await assert.rejects(destroy(clusterWorld({ lease: leaseOf({ owner: other }) })), {
            name: "GateError",
            message: `destroy: Lease tidb/basic-pulumi-tidb: the cluster belongs to stack acme/shop/copy (${owner.urn}), expected acme/shop/prod (${owner.urn}). Next: nothing is deleted. Remove the TidbCluster from this stack's state with \`pulumi state delete --target-dependents\`, which leaves the cluster as it is. [owned-elsewhere]`,
        });
    });

    it("fails if the cluster cannot be reached, says what to do if it is gone for good, and keeps the cause", async () => {
        const cause = new KubernetesApiError("the API server did not answer", undefined);
        await assert.rejects(destroy(clusterWorld({ failure: cause })), {
            cause,
            message:
                "destroy: tidb/basic: the API server did not answer. Next: make the Kubernetes cluster reachable and run the command again. If the Kubernetes cluster is gone for good, remove the TidbCluster from the state: pulumi state delete --target-dependents 'urn:pulumi:prod::shop::tidb:index:TidbCluster::basic'. [api-call-failed]",
        });
    });

    it("passes a defect on unchanged", async () => {
        const defect = new TypeError("a defect");
        await assert.rejects(destroy(clusterWorld({ failure: defect })), defect);
    });
});
