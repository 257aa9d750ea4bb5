import * as assert from "node:assert/strict";
import { readyInputs } from "../../../components/gateInputs/clusterGates";
import { prerequisiteInputs } from "../../../components/prerequisiteInputs";
import { renderMembers } from "../../../components/render";
import type { TidbClusterManifest } from "../../../components/spec";

function rendered(more: object) {
    const size = { replicas: 3, requests: { storage: "1Gi" } };
    const members = { pd: size, tikv: size, tidb: { replicas: 1 }, ticdc: { replicas: 1 }, tiproxy: { replicas: 1 } };
    const storageClaims = [{ resources: { requests: { storage: "1Gi" } } }];
    const others = { tiflash: { replicas: 1, storageClaims }, pump: { ...size, baseImage: "pingcap/tidb-binlog" } };
    const spec = { version: "v8.5.3", ...members, ...others, ...more };
    return renderMembers({ metadata: { name: "basic", namespace: "tidb" }, spec } as unknown as TidbClusterManifest);
}

const policies = (more: object) =>
    readyInputs(rendered(more), undefined).members.flatMap(({ component, reclaimPolicy }) =>
        reclaimPolicy === undefined ? [] : [`${component} ${reclaimPolicy}`],
    );
const asks = (more: object) => prerequisiteInputs(rendered(more), undefined).traits.includes("reclaim-policy");

describe("the reclaim policy of the program", () => {
    it("is that of the members with data, as in TiDB Operator: not of TiCDC and TiProxy", () => {
        const all = ["pd", "pump", "tidb", "tiflash", "tikv"];
        for (const pvReclaimPolicy of ["Retain", "Delete"]) {
            const expected = all.map((component) => `${component} ${pvReclaimPolicy}`);
            assert.deepEqual(policies({ pvReclaimPolicy }).sort(), expected);
        }
    });

    it("takes a permission on volumes, which the preview checks", () => assert.ok(asks({ pvReclaimPolicy: "Retain" })));

    it("is none where the program says nothing: no volume is read or changed", () => {
        assert.deepEqual([policies({}), asks({})], [[], false]);
    });
});
