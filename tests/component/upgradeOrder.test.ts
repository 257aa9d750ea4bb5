import * as assert from "node:assert/strict";
import { TidbCluster } from "../../components/tidbCluster";
import type { TidbClusterArgs } from "../../components/tidbClusterArgs";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

/** The operator holds a member back while another one is upgraded. Here the graph of resources does: a cluster with all members. */
const storageClaims = [{ resources: { requests: { storage: "1Gi" } } }];
const spec: TidbClusterArgs["spec"] = {
    ...basicSpec(),
    tiproxy: { replicas: 1, version: "v1.3.0", config: {} },
    tiflash: { replicas: 1, storageClaims, config: {} },
    pump: { replicas: 1, requests: { storage: "1Gi" }, config: {} },
    ticdc: { replicas: 1, config: {} },
};
/** Each member, and what it waits for (tidb-operator pkg/controller/tidbcluster/tidb_cluster_control.go). */
const orders: [title: string, member: string][] = [
    ["pd comes first", "pd"],
    ["tiproxy comes after pd", "tiproxy"],
    ["tiflash comes after pd, tiproxy", "tiflash"],
    ["tikv comes after pd, tiproxy, tiflash", "tikv"],
    ["pump comes after pd, tiproxy, tiflash, tikv", "pump"],
    ["tidb comes after pd, tiproxy, tiflash, tikv, pump", "tidb"],
    ["ticdc comes after pd, tiproxy, tiflash, tikv, pump, tidb", "ticdc"],
];

describe("the order of an upgrade", function () {
    this.timeout(patienceMilliseconds);
    let run: ProgramRun<TidbCluster>;
    before(async () => {
        run = await runProgram(() => new TidbCluster("basic", { spec }));
    });

    for (const [index, [title, member]] of orders.entries()) {
        it(title, () => {
            const earlier = orders.slice(0, index).map(([, one]) => one);
            for (const [type, suffix] of [
                ["ScaleGate", "-scale"],
                ["StatefulSet", ""],
                ["RolloutGate", "-rollout"],
            ]) {
                const waitsFor = allBefore(run, run.find(type, `basic-${member}${suffix}`).dependencies);
                const held = orders
                    .map(([, one]) => one)
                    .filter((one) => one !== member && waitsFor.has(rolloutOf(one)));
                assert.deepEqual(held, earlier, `${type} of ${member}`);
            }
        });
    }
});

function rolloutOf(member: string): string {
    return `pulumi-nodejs:tidb:RolloutGate::basic-${member}-rollout`;
}

/** @returns all that comes before, directly or not. */
function allBefore({ resources }: ProgramRun<TidbCluster>, dependencies: readonly string[]): Set<string> {
    const found = new Set<string>();
    const next = [...dependencies];
    for (let name = next.pop(); name !== undefined; name = next.pop()) {
        if (!found.has(name)) {
            found.add(name);
            next.push(...(resources.find((one) => `${one.type}::${one.name}` === name)?.dependencies ?? []));
        }
    }
    return found;
}
