import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkManifest } from "../../components/checkManifest";
import { members } from "../../components/members";
import { TidbCluster } from "../../components/tidbCluster";
import type { TidbClusterArgs } from "../../components/tidbClusterArgs";
import { type Component, components } from "../../topology/members";
import { patienceMilliseconds, runProgram } from "./mockProgram";

/** A cluster of every member; Pump is unused, for which TiDB's rendering is looked at too. */
function everyMember(replicas: pulumi.Input<number>): TidbClusterArgs["spec"] {
    const member = { replicas, config: {} };
    const stateful = { ...member, requests: { storage: "10Gi" } };
    return {
        version: "v8.5.3",
        pd: { ...stateful, mode: "ms" },
        pdms: [
            { name: "tso", replicas },
            { name: "scheduling", replicas },
        ],
        tikv: stateful,
        tidb: { ...member, binlogEnabled: false, service: { type: "ClusterIP" } },
        tiflash: { ...member, storageClaims: [{ resources: { requests: { storage: "10Gi" } } }] },
        ticdc: member,
        tiproxy: { ...stateful, version: "v1.3.0" },
        pump: stateful,
    } as TidbClusterArgs["spec"];
}

/** Which member was rendered how often, while `run` ran. */
async function renderings(run: () => unknown): Promise<Partial<Record<Component, number>>> {
    const counts: Partial<Record<Component, number>> = {};
    const originals = components.map((component) => members[component].render);
    components.forEach((component, index) => {
        members[component].render = (manifest) => {
            counts[component] = (counts[component] ?? 0) + 1;
            return originals[index](manifest);
        };
    });
    try {
        await run();
    } finally {
        components.forEach((component, index) => (members[component].render = originals[index]));
    }
    return counts;
}

/** Every member that tidb-operator has. */
const deployed = ["tso", "scheduling", "pd", "tiproxy", "tiflash", "tikv", "pump", "tidb", "ticdc"];

const each = (times: number): Partial<Record<Component, number>> =>
    Object.fromEntries(deployed.map((component) => [component, times]));

describe("component: a member is rendered", function () {
    this.timeout(patienceMilliseconds);

    it("once if its whole spec is known when the program runs", async () => {
        const counted = await renderings(() => runProgram(() => new TidbCluster("basic", { spec: everyMember(1) })));
        assert.deepEqual(counted, each(1));
    });

    it("once if it is read from a file", async () => {
        const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-rendered-"));
        try {
            const file = join(folder, "cluster.yaml");
            writeFileSync(file, JSON.stringify({ kind: "TidbCluster", spec: everyMember(1) }));
            const counted = await renderings(() => runProgram(() => TidbCluster.fromYaml("basic", file)));
            assert.deepEqual(counted, each(1));
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("once more if part of it becomes known only later", async () => {
        const counted = await renderings(() =>
            runProgram(() => new TidbCluster("basic", { spec: everyMember(pulumi.output(1)) })),
        );
        assert.deepEqual(counted, each(2));
    });

    it("once for its checks and for what render prints", async () => {
        const counted = await renderings(() => checkManifest({ metadata: { name: "basic" }, spec: everyMember(1) }));
        assert.deepEqual(counted, each(1));
    });
});
