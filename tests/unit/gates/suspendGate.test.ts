import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { glance } from "../../../provider/gates/looks";
import { suspendGateDefinition } from "../../../provider/gates/suspendGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { changePorts, clusterWorld, type ClusterWorld, told as clusterTold, watchLocks } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { refusedAt } from "../../support/gates/refusedAt";

const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60 };
const told = () => clusterTold({ gate: "suspend", component: "tidb", policy });
const outs = () => ({ ...told(), replicas: 0, plan: [], deferred: "" });
const suspend = (world: ClusterWorld) => createGate(suspendGateDefinition, world);

describe("the SuspendGate", () => {
    it("plans the end of the member, lets no replica run, and asks only Kubernetes", async () => {
        const world = clusterWorld();
        const { inputs } = await suspend(world).check({}, told());
        assert.deepEqual(
            [inputs.plan, inputs.replicas],
            [
                [
                    "suspend basic-tidb (suspendAction): delete its StatefulSet; volumes, Services and ConfigMap stay; until its 2 pods have stopped (~30 s); risk: no TiDB is left: no SQL",
                ],
                0,
            ],
        );
        assert.deepEqual(world.looks, [glance("tidb")]);
    });

    it("is refused while Pulumi protects the StatefulSet, also where no preview has refused it before", async () => {
        const isProtected = { ...told(), isProtected: true };
        const { refused } = await suspend(clusterWorld()).planOf({}, isProtected);
        assert.deepEqual(refusedAt(refused), ["protect"]);
        const done = clusterWorld({ live: { tidb: { suspended: true } } });
        assert.equal((await suspend(done).check({}, isProtected)).failures, undefined, "nothing is left to delete");
    });

    it("plans nothing if the member is suspended already", async () => {
        const world = clusterWorld({ live: { tidb: { suspended: true } } });
        const { inputs } = await suspend(world).check({}, told());
        assert.deepEqual(inputs.plan, []);
    });

    it("deletes the StatefulSet under the lock, and ends after its pods have ended", async () => {
        const world = clusterWorld();
        const began = world.time;
        const said = watchLocks(world);
        let isTerminating = false;
        world.changes = () => (isTerminating = true);
        changePorts(world, ({ look, sleep }) => ({
            look: async (options) => {
                const { members, ...seen } = await look(options);
                const statefulSet = members.tidb?.statefulSet;
                return isTerminating && statefulSet
                    ? {
                          ...seen,
                          members: { tidb: { ...members.tidb!, statefulSet: { ...statefulSet, terminating: true } } },
                      }
                    : { ...seen, members };
            },
            sleep: async (milliseconds) => {
                await sleep(milliseconds);
                world.live.tidb = world.time - began > 10_000 ? undefined : world.live.tidb;
            },
        }));
        await suspend(world).create(outs());
        assert.deepEqual(said, ["suspend basic-tidb"]);
        assert.deepEqual(world.done, [
            "lock",
            "delete StatefulSet basic-tidb and its pods",
            "delete-stateful-set",
            "release",
        ]);
        assert.ok(world.time - began > 10_000);
    });

    it("fails after its timeout, and names the pods that are left", async () => {
        const world = clusterWorld();
        changePorts(world, ({ look }) => ({
            look: async (options) => {
                const { members, ...seen } = await look(options);
                return { ...seen, members: { tidb: { ...members.tidb!, statefulSet: undefined } } };
            },
        }));
        await failsWith(suspend(world).create(outs()), "suspended", {
            target: "basic-tidb",
            names: "basic-tidb-0, basic-tidb-1",
        });
    });
});
