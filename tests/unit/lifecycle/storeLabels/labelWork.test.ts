import * as assert from "node:assert/strict";
import { labelWork, type LabelWork } from "../../../../provider/lifecycle/storeLabels/labelWork";
import { labelFor } from "../../../../provider/lifecycle/storeLabels/nodeLabels";
import { nextLabelMove, planLabels } from "../../../../provider/lifecycle/storeLabels/setLabels";
import { type Fact, known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { LabelSources } from "../../../../provider/lifecycle/vocabulary/target";
import { emptyMemory, rememberAction, rememberWait } from "../../../../provider/lifecycle/vocabulary/memory";
import type { ActMove } from "../../../../provider/lifecycle/vocabulary/move";
import type { ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import { type Deviation, inShort, now, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
type Labels = Record<string, string>;

/** A pod on a node of its own with these labels. */
function on(labels: Labels | Fact<Labels>, more: Partial<ObservedPod> = {}): Partial<ObservedPod> {
    const nodeLabels = "known" in labels ? (labels as Fact<Labels>) : known<Labels>(labels, "node n", now);
    return { node: "n", nodeLabels, ...more };
}

/** Two stores, the second of which is right in PD and on its node. */
function cluster(more: Deviation, sources?: LabelSources, component: "tikv" | "tiflash" = "tikv") {
    const right = { zone: "b", host: "h1" };
    const stores = { 1: { labels: right }, ...more.stores };
    const row = {
        locationLabels: ["zone", "host"],
        ...more,
        live: 2,
        stores,
        pods: { 1: on({ [zone]: "b", [hostname]: "h1" }), ...more.pods },
    };
    const { observation, target } = observed(component, row);
    return { observation, targets: [{ ...target, ...(sources ? { labels: sources } : {}) }] };
}

function workOf(...how: Parameters<typeof cluster>): LabelWork {
    const { observation, targets } = cluster(...how);
    const work = labelWork(observation, targets);
    assert.ok(!("look" in work), JSON.stringify(work));
    return work;
}

const setsOf = ({ due }: LabelWork) =>
    Object.fromEntries(due.map(({ pod, labels }) => [pod, Object.fromEntries(labels.map(({ key, to }) => [key, to]))]));

describe("the label of a node that a store gets", () => {
    const rows: [what: string, key: string, node: Labels, expected: string | undefined][] = [
        ["the label itself", "rack", { rack: "r1" }, "r1"],
        ["Kubernetes' label, for a short name", "zone", { [zone]: "a" }, "a"],
        ["the label itself before Kubernetes' one", "zone", { zone: "own", [zone]: "a" }, "own"],
        ["the name before Kubernetes 1.17", "zone", { "failure-domain.beta.kubernetes.io/zone": "a" }, "a"],
        ["the region", "region", { "topology.kubernetes.io/region": "eu" }, "eu"],
        ["the host", "host", { [hostname]: "h0" }, "h0"],
        ["Kubernetes' label by its own name", zone, { [zone]: "a" }, "a"],
        ["none for another name", "rack", { [zone]: "a" }, undefined],
        ["none for an empty value, which would delete the store's label", "rack", { rack: "" }, undefined],
        ["none by a name that every object has", "constructor", {}, undefined],
    ];
    for (const [what, key, node, expected] of rows) {
        it(`is ${what}`, () => assert.equal(labelFor(key, node), expected));
    }
});

describe("the labels that stores need in PD", () => {
    const a = on({ [zone]: "a", [hostname]: "h0" });
    const both = { zone: "a", host: "h0" };
    const rows: [what: string, more: Deviation, expected: Record<string, Labels>, sources?: LabelSources][] = [
        ["a new store has none, so PD may put two copies into its zone", { pods: { 0: a } }, { "basic-tikv-0": both }],
        [
            "a pod that moved has those of its former node",
            { pods: { 0: a }, stores: { 0: { labels: { zone: "c", host: "h0" } } } },
            { "basic-tikv-0": { zone: "a" } },
        ],
        ["a store that is right gets none", { pods: { 0: a }, stores: { 0: { labels: both } } }, {}],
        [
            "PD finds a key in any case, and keeps it: it would be set for ever",
            { pods: { 0: a }, stores: { 0: { labels: { Zone: "a", HOST: "h0" } } } },
            {},
        ],
        [
            "a label that the node lacks stays as somebody has set it",
            { pods: { 0: on({ [hostname]: "h0" }) }, stores: { 0: { labels: { zone: "x", host: "h0" } } } },
            {},
        ],
        [
            "a label that the store gives itself would change back at each restart",
            { pods: { 0: a }, stores: { 0: { labels: { zone: "mine" } } } },
            { "basic-tikv-0": { host: "h0" } },
            { own: ["ZONE"] },
        ],
        ["no label of a store that may give itself any", { pods: { 0: a } }, {}, { own: "all" }],
        [
            "the program's further labels",
            { pods: { 0: on({ [zone]: "a", [hostname]: "h0", disk: "ssd" }) }, stores: { 0: { labels: both } } },
            { "basic-tikv-0": { disk: "ssd" } },
            { more: ["disk", "zone"] },
        ],
        [
            "the program's labels alone, if PD has no location labels",
            { locationLabels: [], pods: { 0: on({ disk: "ssd" }), 1: on({}) } },
            { "basic-tikv-0": { disk: "ssd" } },
            { more: ["disk"] },
        ],
        ["a store of another cluster is not ours to label", { pods: { 0: a }, stores: { 0: { own: false } } }, {}],
        ["a pod that is not Ready proves nothing of its store", { pods: { 0: { ...a, ready: false } } }, {}],
        ["a pod that stops proves nothing either", { pods: { 0: { ...a, terminating: true } } }, {}],
        ["a pod without a node", { pods: { 0: { node: undefined } } }, {}],
        ["a pod whose store PD does not list", { pods: { 0: a }, stores: { 0: undefined } }, {}],
        ["nothing while PD is silent", { pods: { 0: a }, pdSilent: true }, {}],
        ["nothing while PD's stores are not known", { pods: { 0: a }, unknown: ["stores"] }, {}],
    ];
    for (const [what, more, expected, sources] of rows) {
        it(what, () => assert.deepEqual(setsOf(workOf(more, sources)), expected));
    }

    it("TiFlash's stores get PD's location labels, beside the one that makes them TiFlash", () => {
        const pods = { 0: a, 1: on({ [zone]: "b", [hostname]: "h1" }) };
        const work = workOf(
            { pods, tiflash: { 1: { labels: { engine: "tiflash", zone: "b" } } } },
            undefined,
            "tiflash",
        );
        assert.deepEqual(setsOf(work), { "basic-tiflash-0": both, "basic-tiflash-1": { host: "h1" } });
    });

    it("no member without stores, and none without pods, is compared", () => {
        const { observation, targets } = cluster({ pods: { 0: a } });
        const work = (more: object) => labelWork(observation, [{ ...targets[0], ...more }]);
        assert.deepEqual(work({ component: "ticdc" }), { due: [], remarks: [] });
        assert.deepEqual(work({ replicas: 0 }), { due: [], remarks: [] });
    });

    it("a node that may not be read changes nothing, and it is said with what to grant", () => {
        const why = "read node n: 403 Forbidden; grant `get` on `nodes` by a ClusterRole";
        const { due, remarks } = workOf({ pods: { 0: on(notKnown(why)) } });
        assert.deepEqual(due, []);
        assert.deepEqual(remarks, [`labels of 1 of 2 stores of basic-tikv stay as they are in PD: ${why}`]);
    });

    it("location labels that are not known change nothing, and it is said", () => {
        const { due, remarks } = workOf({ pods: { 0: a }, unknown: ["locationLabels"] });
        assert.deepEqual(due, []);
        assert.deepEqual(remarks, ["labels of stores are not compared with their nodes: PD did not answer"]);
    });

    it("a node without a location label is said: PD cannot keep copies apart by it", () => {
        const pods = { 0: on({ [zone]: "a", [hostname]: "h0" }), 1: on({ [zone]: "b", [hostname]: "h1" }) };
        const stores = { 0: { labels: both }, 1: { labels: { zone: "b", host: "h1", rack: "r" } } };
        const { due, remarks } = workOf({ locationLabels: ["zone", "rack", "host"], pods, stores });
        assert.deepEqual(due, []);
        assert.deepEqual(remarks, [
            "stores of basic-tikv get no label rack in PD: node n has none; label it, or set it in PD",
        ]);
    });
});

describe("the labels that TiDB's servers need", () => {
    const version = "8.0.11-TiDB-v8.5.3";
    const [a, b] = [on({ [zone]: "a", [hostname]: "h0" }), on({ [zone]: "b", [hostname]: "h1" })];
    const server = (ordinal: number, labels: Labels = {}, more: object = {}) => ({
        podName: `basic-tidb-${ordinal}`,
        version,
        labels,
        ...more,
    });
    const work = (more: Deviation, sources?: LabelSources) => {
        const servers = known([server(0), server(1, { zone: "b", host: "h1" })], "basic-tidb-0", now);
        const row = { locationLabels: ["zone", "host"], pods: { 0: a, 1: b }, tidbServers: servers, ...more };
        const { observation, target } = observed("tidb", row);
        const found = labelWork(observation, [{ ...target, ...(sources ? { labels: sources } : {}) }]);
        assert.ok(!("look" in found), JSON.stringify(found));
        return found;
    };
    const with0 = (labels: Labels, more: object = {}) =>
        known([server(0, labels, more), server(1, { zone: "b", host: "h1" })], "", now);
    const both = { "basic-tidb-0": { zone: "a", host: "h0" } };

    const rows: [what: string, more: Deviation, expected: Record<string, Labels>, sources?: LabelSources][] = [
        ["after a start a server has none, and reads from any zone", {}, both],
        ["none of a server that has them", { tidbServers: with0({ zone: "a", host: "h0" }) }, {}],
        ["those of its new node", { tidbServers: with0({ zone: "c", host: "h0" }) }, { "basic-tidb-0": { zone: "a" } }],
        [
            "`zone` too where PD's label has Kubernetes' name: TiDB looks for no other",
            { locationLabels: [zone], tidbServers: with0({ [zone]: "a" }), pods: { 0: a, 1: { ready: false } } },
            { "basic-tidb-0": { zone: "a" } },
        ],
        ["none without a zone among PD's labels", { locationLabels: ["rack", "host"] }, {}],
        ["none of a TiDB that takes none", { tidbServers: with0({}, { version: "8.0.11-TiDB-v6.2.0" }) }, {}],
        ["none of a build without a version", { tidbServers: with0({}, { version: "None" }) }, {}],
        [
            "none of a server that TiDB does not list",
            { tidbServers: known([server(1, { zone: "b", host: "h1" })], "", now) },
            {},
        ],
        ["none of a pod that is not Ready", { pods: { 0: { ...a, ready: false }, 1: b } }, {}],
        ["not those that its own configuration sets", {}, { "basic-tidb-0": { host: "h0" } }, { own: ["zone"] }],
        ["none while TiDB does not answer", { tidbServers: notKnown("no TiDB pod is Ready") }, {}],
    ];
    for (const [what, more, expected, sources] of rows) {
        it(what, () => assert.deepEqual(setsOf(work(more, sources)), expected));
    }

    it("are said to stay if TiDB does not answer, or a node cannot be read", () => {
        assert.deepEqual(work({ tidbServers: notKnown("no TiDB pod is Ready") }).remarks, [
            "labels of basic-tidb stay as they are: no TiDB pod is Ready",
        ]);
        assert.deepEqual(work({ pods: { 0: on(notKnown("403")), 1: b } }).remarks, [
            "labels of 1 of 2 servers of basic-tidb stay as they are: 403",
        ]);
    });

    it("are asked for only where PD has a zone, then set, and waited for", () => {
        const next = (more: Deviation) => {
            const { observation, target } = observed("tidb", { pods: { 0: a, 1: b }, ...more });
            return nextLabelMove(observation, [target], emptyMemory);
        };
        assert.equal(inShort(next({ locationLabels: ["rack"] })), "done");
        assert.equal(inShort(next({ locationLabels: ["zone"] })), "look asks:[server-labels]");
        const move = next({ locationLabels: ["zone"], tidbServers: with0({}) });
        assert.equal(inShort(move), "label basic-tidb-0 zone = a");
        assert.equal(move.kind === "act" ? move.step : "", "server-labels");
    });

    it("are a line of the plan for each server", () => {
        assert.deepEqual(planLabels(work({}).due).map(describeStep), [
            "label basic-tidb-0 (on node n): zone from none to a, host from none to h0; until TiDB lists them (~1 s)",
        ]);
    });
});

describe("setting labels of stores", () => {
    const pods = { 0: on({ [zone]: "a", [hostname]: "h0" }) };
    const act = (): ActMove => {
        const { observation, targets } = cluster({ pods });
        const move = nextLabelMove(observation, targets, emptyMemory);
        assert.ok(move.kind === "act");
        return move;
    };

    it("reads first what it depends on: an update without location labels reads no node", () => {
        const next = (more: Deviation) => {
            const { observation, targets } = cluster(more);
            return inShort(nextLabelMove(observation, targets, emptyMemory));
        };
        assert.equal(next({ pods, notAsked: ["locationLabels"] }), "look parts:[location-labels]");
        assert.equal(next({ pods: { 0: { node: "n" } } }), "look zones:true");
        assert.equal(next({ pods: { 0: { node: "n" }, 1: { node: "n" } }, locationLabels: [] }), "done");
    });

    it("sets those that differ, once, and waits until PD lists them", () => {
        const move = act();
        assert.equal(inShort(move), "label basic-tikv-0 zone = a, host = h0");
        const memory = rememberAction(rememberWait(emptyMemory, move, now), move, now);
        const later = (milliseconds: number) => {
            const { observation, targets } = cluster({ pods });
            return inShort(nextLabelMove({ ...observation, now: now + milliseconds }, targets, memory));
        };
        assert.equal(later(1_000), "wait store-labels basic");
        // As for every action without a visible effect.
        assert.equal(later(6_000), inShort(move));
    });

    it("ends with a remark if PD refuses them, or accepts them and does not list them: no update fails for it", () => {
        const move = act();
        const { observation, targets } = cluster({ pods });
        let memory = emptyMemory;
        for (let at = now; at < now + 60_000; at += 1_000) {
            const next = nextLabelMove({ ...observation, now: at }, targets, memory);
            if (next.kind === "done") {
                repeats(next.remarks, "store 10 (basic-tikv-0)", "30 s");
                return;
            }
            assert.ok(next.kind === "act" || next.kind === "wait");
            memory = rememberWait(memory, next, at);
            memory = next.kind === "act" ? rememberAction(memory, next, at) : memory;
        }
        assert.fail(`it tries for ever: ${inShort(move)}`);
    });

    it("ends with what could not be compared", () => {
        const { observation, targets } = cluster({ pods: { 0: on(notKnown("403")) } });
        const move = nextLabelMove(observation, targets, emptyMemory);
        assert.ok(move.kind === "done");
        repeats(move.remarks, "1 of 2 stores of basic-tikv", "403");
    });

    it("is a line of the plan for each store: from, to and its node", () => {
        const stores = { 0: { labels: { zone: "c" } } };
        assert.deepEqual(planLabels(workOf({ pods, stores }).due).map(describeStep), [
            "label store 10 (basic-tikv-0) (on node n): zone from c to a, host from none to h0; until PD lists them (~1 s)",
        ]);
    });
});
