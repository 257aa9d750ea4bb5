import * as assert from "node:assert/strict";
import { observeMember, observeStore } from "../../../provider/cluster/observeStores";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import type { ObservedPdMember, ObservedStore } from "../../../provider/lifecycle/vocabulary/observation";
import { storeOf } from "../../support/lifecycle/observations";
import { checked, clusterWorld, deployed, leaseOf, told } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

/** What PD lists of the pods of one domain, as gates of a program with another one see it. */
function listed(registered: string, wanted: string): { members: ObservedPdMember[]; stores: ObservedStore[] } {
    const id = { namespace: "tidb", cluster: "basic", instance: "basic", ...(wanted ? { domain: wanted } : {}) };
    const host = (pod: string, of: string) => `${pod}.basic-${of}-peer.tidb.svc${registered ? `.${registered}` : ""}`;
    const members = [0, 1, 2].map((ordinal) => {
        const name = host(`basic-pd-${ordinal}`, "pd");
        const member = { name, memberId: String(100 + ordinal), peerUrls: [`http://${name}:2380`], clientUrls: [] };
        return observeMember(member, [{ ...member, healthy: true }], id);
    });
    const stores = [0, 1, 2, 3].map((ordinal) => {
        const address = `${host(`basic-tikv-${ordinal}`, "tikv")}:20160`;
        const { podName, own, otherDomain, domain } = observeStore({ address, labels: {} } as never, id);
        const at = { ...(otherDomain ? { otherDomain } : {}), ...(domain ? { domain } : {}) };
        return { ...storeOf(ordinal, { podName, own, address }), ...at };
    });
    return { members, stores };
}

interface Story {
    registered: string;
    wanted: string;
    /** The note on the Lease; undefined: an earlier version deployed the cluster. */
    noted?: string;
    /** Whether another cluster of the same name is under the wanted domain. */
    hasTwin?: boolean;
    /** Whether the cluster was never healthy. */
    isNew?: boolean;
    pdSilent?: boolean;
}

function world({ registered, wanted, noted, pdSilent = false, hasTwin = false, isNew = false }: Story) {
    const { members, stores } = listed(registered, wanted);
    const twin = hasTwin ? listed(wanted, wanted) : { members: [], stores: [] };
    const pd = {
        pdSilent,
        notMembers: [0, 1, 2],
        moreMembers: [...members, ...twin.members.map((one) => ({ ...one, memberId: `2${one.memberId}` }))],
        moreStores: twin.stores.map((one) => ({ ...one, id: one.id + 1_000 })),
        stores: Object.fromEntries(stores.map((store, ordinal) => [ordinal, store])),
    };
    return clusterWorld({
        live: { pd, tikv: {}, tidb: {} },
        lease: leaseOf({ domain: noted, ...(isNew ? {} : { pdClusterId: "7" }) }),
    });
}

async function check(story: Story) {
    const seen = world(story);
    const olds = deployed(story.noted === undefined && story.registered ? { domain: story.registered } : {});
    const news = told(story.wanted ? { domain: story.wanted } : {});
    return { seen, olds, ...(await checked(seen, news, olds)) };
}

describe("another spec.clusterDomain", () => {
    const changes: [string, Story][] = [
        ["removed", { registered: "cluster.local", wanted: "", noted: "cluster.local" }],
        ["changed", { registered: "one.example", wanted: "two.example", noted: "one.example" }],
        ["removed, of a cluster whose Lease does not note it", { registered: "cluster.local", wanted: "" }],
    ];
    for (const [title, story] of changes) {
        it(`${title}: refused in the preview while PD lists the pods under the earlier one, or PD would lose its quorum`, async () => {
            const { refused, why } = await check(story);
            assert.deepEqual(refused, ["spec.clusterDomain"]);
            repeats(why, `found ${story.wanted || "none"}, expected ${story.registered}`);
            repeats(why, "basic-pd-0, basic-pd-1, basic-pd-2");
        });
    }

    it("refused in the update too, under the lock: PD may not have answered in the preview", async () => {
        const { seen, olds, inputs } = await check({
            registered: "cluster.local",
            wanted: "",
            noted: "cluster.local",
            pdSilent: true,
        });
        repeats(inputs.deferred, "PD answers 500");
        await failsWith(createClusterGate(seen).update("", olds, inputs), "cluster-domain-unknown", {
            names: "PD answers 500",
        });
        seen.live.pd = world({ registered: "cluster.local", wanted: "" }).live.pd;
        await failsWith(createClusterGate(seen).update("", olds, inputs), "cluster-domain-refused", {
            names: "cluster.local",
        });
        assert.equal(seen.lease?.domain, "cluster.local");
    });

    it("added: a name without a domain resolves only here, so members stay the cluster's own, and the note follows", async () => {
        const { seen, olds, inputs, refused } = await check({ registered: "", wanted: "cluster.local", noted: "" });
        assert.equal(refused, undefined);
        assert.deepEqual(inputs.plan, ["record spec.clusterDomain: cluster.local (before: none)"]);
        await createClusterGate(seen).update("", olds, inputs);
        assert.equal(seen.lease?.domain, "cluster.local");
    });

    for (const registered of ["one.example", ""]) {
        it(`${registered ? "changed" : "added"} to that of a twin on the same PD: refused, or the twin's stores would be removed`, async () => {
            const story = { registered, wanted: "two.example", noted: registered, hasTwin: true };
            const { refused, why } = await check(story);
            assert.deepEqual(refused, ["spec.clusterDomain"]);
            repeats(why, `found two.example, expected ${registered || "none"}`);
        });
    }

    it("corrected in a first deployment, whose PD cannot form under the wrong one", async () => {
        const { seen, olds, inputs, refused } = await check({
            registered: "cluster.lcoal",
            wanted: "cluster.local",
            noted: "cluster.lcoal",
            pdSilent: true,
            isNew: true,
        });
        assert.equal(refused, undefined);
        await createClusterGate(seen).update("", olds, inputs);
        assert.equal(seen.lease?.domain, "cluster.local");
    });

    it("PD is not asked while it stays", async () => {
        const { seen, refused } = await check({ registered: "a.example", wanted: "a.example", noted: "a.example" });
        assert.deepEqual([seen.looks, refused], [[], undefined]);
    });
});
