import * as assert from "node:assert/strict";
import * as path from "node:path";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk } from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";

const examples = path.resolve(__dirname, "../../examples");
const clouds = ["eks", "gke", "aks", "alibaba-cloud"];

describeOnEngine("the examples for clouds", (arena) => {
    it("come up, each with disks of its class, one pod of a member per zone", async () => {
        const deploy = async (cloud: string) => {
            const stack = openStack(arena(), cloud, path.join(examples, cloud), "main");
            // The sandbox's nodes are in three zones, but none is dedicated to a member.
            const config = { namespace: cloud, dedicatedNodes: "false" };
            const up = assertOk(await stack.run("up", { skipPreview: true, config }));
            assert.equal(up.outputs.host, `main-tidb.${cloud}.svc:4000`);
        };
        await Promise.all(clouds.map(deploy));
        for (const cloud of clouds) {
            const claims = await arena().kubernetes.claims(cloud);
            const classes = new Set(claims.map(({ spec }) => spec?.storageClassName));
            assert.equal(claims.length, 6);
            assert.equal(classes.size, 1);
            assert.match([...classes][0] ?? "", /^tidb-/);
            const pods = await arena().kubernetes.pods(cloud);
            const stores = pods.filter(({ metadata }) => metadata?.labels?.["app.kubernetes.io/component"] === "tikv");
            assert.equal(new Set(stores.map(({ spec }) => spec?.nodeName)).size, 3);
        }
    });
});
