// Runs a program under Pulumi's mocks, as a user's unit test does. Plain JavaScript, so every Node.js runs it as it is.
import pulumi from "@pulumi/pulumi";
import { TidbCluster } from "pulumi-tidb";
import { tidbMocks } from "pulumi-tidb/testing";

await pulumi.runtime.setMocks(tidbMocks());
const { members } = new TidbCluster("mine", {
    spec: {
        version: "v8.5.3",
        pd: { replicas: 3, requests: { storage: "10Gi" }, config: {} },
        tikv: { replicas: 3, requests: { storage: "100Gi" }, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
    },
});
const spec = await new Promise((resolve) => members.tikv.statefulSet.spec.apply(resolve));
await pulumi.runtime.disconnect();
if (spec.replicas !== 3) {
    throw new Error(`found ${spec.replicas} replicas of TiKV, expected 3`);
}
