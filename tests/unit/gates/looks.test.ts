import * as assert from "node:assert/strict";
import {
    glance,
    lookForReady,
    lookForRollout,
    lookForScale,
    lookForState,
    withClaims,
} from "../../../provider/gates/looks";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { Component } from "../../../topology/members";

/** With which every look at PD tells another PD than the cluster's, and a PD that others share. */
const whose = ["stores", "health", "cluster-id"];
const sorted = (look: LookOptions) => ({ ...look, pd: [...look.pd].sort() });
const looked = (components: Component[], pd: string[], status: Component[] = [], more: object = {}) => ({
    components,
    pd: [...new Set(pd)].sort(),
    status,
    ...more,
});

const captures = { asks: ["captures"] };
const tikvRollout = ["leadership", "stores", "tombstones", "evicted-stores", "placement"];

describe("the questions before a rollout of a member", () => {
    for (const [component, pd, status, more] of [
        ["pd", ["health", "leader", "ready-members", ...whose], false, {}],
        ["tikv", [...tikvRollout, ...whose], false, {}],
        ["tiflash", ["tombstones", ...whose], true, {}],
        ["tidb", [], true, {}],
        ["tiproxy", [], true, {}],
        ["ticdc", [], false, captures],
        ["pump", ["pumps", ...whose], false, {}],
        ["tso", ["tso", ...whose], false, {}],
        ["scheduling", ["scheduling", ...whose], false, {}],
    ] as const) {
        it(`${component}: those of its conditions, whose PD it is, and the page of each pod that has one`, () => {
            const expected = looked([component], [...pd], status ? [component] : [], more);
            assert.deepEqual(sorted(lookForRollout(component)), expected);
        });
    }

    it("for a whole cluster: those of each member, and none twice", () => {
        const components: Component[] = ["pd", "tikv", "tiflash", "tidb", "ticdc"];
        const look = lookForReady(components);
        assert.equal(new Set(look.pd).size, look.pd.length, "each part is a call of PD");
        const pd = ["health", "leader", "ready-members", ...tikvRollout, ...whose];
        assert.deepEqual(sorted(look), looked(components, pd, ["tiflash", "tidb"], captures));
    });

    it("for members that need no PD: none for PD", () => {
        assert.deepEqual(lookForReady(["tidb", "tiproxy"]).pd, []);
        assert.equal("asks" in lookForReady(["tidb", "tiproxy"]), false);
    });
});

describe("the questions before a member is scaled", () => {
    const aroundPd: Component[] = ["pd", "tiproxy", "tiflash", "tikv", "pump", "tidb", "ticdc"];
    for (const [component, components, pd, more] of [
        ["pd", aroundPd, ["health", "leader", ...whose], {}],
        ["tikv", ["tikv"], ["leadership", "stores", "tombstones", "placement", ...whose], {}],
        ["tiflash", ["tiflash", "tikv"], ["stores", "tombstones", "placement", ...whose], {}],
        ["tidb", ["tidb"], [], {}],
        ["ticdc", ["ticdc"], [], captures],
        ["pump", ["pump"], ["pumps", ...whose], {}],
        ["tso", ["tso"], ["tso", ...whose], {}],
    ] as const) {
        it(`${component}: those of its removal, whose PD it is, and who depends on it; no pod's own page`, () => {
            assert.deepEqual(sorted(lookForScale(component)), looked([...components], [...pd], [], more));
        });
    }

    it("include claims by the names that the program wants, so that volumes without labels are found", () => {
        const claims = ["data", "log"].map((name) => ({ name, storage: "1Gi", storageClass: "" }));
        const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims };
        const look = withClaims(glance("tikv"), "tikv", fixed);
        assert.deepEqual(look, { ...glance("tikv"), claimTemplates: { tikv: ["data", "log"] } });
    });
});

describe("the questions when nothing may have changed", () => {
    it("are only for Kubernetes, about one member", () => {
        assert.deepEqual(glance("tikv"), { components: ["tikv"], pd: [], status: [] });
    });

    it("are few for PD, once for the whole cluster", () => {
        assert.deepEqual(lookForState(["pd", "tikv", "tiflash", "tidb", "ticdc"]), {
            components: ["pd", "tikv", "tiflash", "tidb", "ticdc"],
            pd: ["health", "stores"],
            status: [],
        });
    });
});
