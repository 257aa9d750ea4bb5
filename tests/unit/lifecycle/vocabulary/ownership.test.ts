import * as assert from "node:assert/strict";
import {
    type ClusterOwner,
    refuseOwner,
    refuseRename,
    sameOwner,
} from "../../../../provider/lifecycle/vocabulary/ownership";
import { repeats } from "../../../support/repeats";

const owner: ClusterOwner = { stack: "acme/shop/prod", urn: "urn:one", name: "basic", namespace: "tidb" };

describe("a cluster's name", () => {
    for (const [field, wanted] of [
        ["name", { name: "shop", namespace: "tidb" }],
        ["namespace", { name: "basic", namespace: "shop" }],
    ] as const) {
        it(`cannot change its ${field}: every store would be deleted, and empty ones created`, () => {
            for (const deployed of [
                [{ name: "basic", namespace: "tidb" }],
                [{}, { name: "basic", namespace: "tidb" }],
            ]) {
                const refusal = refuseRename(deployed, wanted);
                assert.equal(refusal?.property, `metadata.${field}`);
                repeats(refusal.reason, "found shop", deployed.at(-1)![field]!);
            }
        });
    }

    it("stays unchanged in every other update, and is not compared with values that are not known yet", () => {
        const names = { name: "basic", namespace: "tidb" };
        assert.equal(refuseRename([names, names], names), undefined);
        assert.equal(refuseRename([{}, {}], names), undefined);
        assert.equal(refuseRename([names], { name: "basic" }), undefined);
    });
});

describe("a cluster's owner", () => {
    const lease = { uid: "lease-1", owner };

    it("keeps out a second stack, whose update would revert the first one's changes", () => {
        const copy = { ...owner, stack: "acme/shop/copy" };
        for (const isDeployed of [false, true]) {
            const reason = refuseOwner(lease, "lease-1", copy, isDeployed);
            repeats(reason, "acme/shop/prod", "urn:one", "acme/shop/copy");
            repeats(reason, "kubectl -n tidb annotate lease basic-pulumi-tidb pulumi-tidb.io/owner-");
        }
    });

    it("keeps out a second TidbCluster of the same stack", () => {
        const renamed = refuseOwner(
            { ...lease, owner: { ...owner, urn: "urn:pulumi:prod::shop::TidbCluster::one" } },
            "lease-1",
            { ...owner, urn: "urn:pulumi:prod::shop::TidbCluster::two" },
            false,
        );
        repeats(renamed, "::one", "::two", 'aliases: [{ name: "one" }]');
    });

    it("the error names both programs, and how to hand the cluster over", () => {
        const handOver =
            "To hand the cluster over, first release it from the other stack (retainOnDelete, or `pulumi state delete`), or, if it is the same stack under another name, rename that back; then remove the owner record: kubectl -n tidb annotate lease basic-pulumi-tidb pulumi-tidb.io/owner-";
        const copy = { ...owner, stack: "acme/shop/copy", urn: "urn:two" };
        assert.equal(
            refuseOwner(lease, "lease-1", copy, false),
            `the cluster belongs to stack acme/shop/prod (urn:one), expected acme/shop/copy (urn:two): two programs would revert each other's changes. ${handOver}`,
        );
        assert.equal(
            refuseOwner(lease, undefined, owner, false),
            `the cluster belongs to stack acme/shop/prod (urn:one), but this stack's state does not contain it: the state was lost or is in another backend. Use the state that contains the cluster. ${handOver}`,
        );
    });

    it("keeps out a stack of the same name in another backend, or one whose state was lost", () => {
        for (const uid of [undefined, "lease-2"]) {
            repeats(refuseOwner(lease, uid, owner, false), "acme/shop/prod");
        }
    });

    it("lets its own stack continue: after an interrupted first update, and under an alias", () => {
        assert.equal(refuseOwner(lease, "lease-1", owner, false), undefined);
        assert.equal(refuseOwner(lease, "lease-1", owner, true), undefined);
        assert.equal(refuseOwner(lease, undefined, owner, true), undefined);
        assert.equal(refuseOwner(lease, "lease-1", { ...owner, urn: "urn:two" }, true), undefined);
    });

    it("can be anyone if an earlier version of this package deployed the cluster", () => {
        assert.equal(refuseOwner({ uid: "lease-1" }, "lease-1", owner, false), undefined);
    });
});

describe("two owner records", () => {
    it("are the same if stack, URN, name and namespace are the same", () => {
        assert.equal(sameOwner({ ...owner }, owner), true);
        assert.equal(sameOwner(undefined, owner), false);
        for (const field of ["stack", "urn", "name", "namespace"] as const) {
            assert.equal(sameOwner({ ...owner, [field]: "other" }, owner), false, field);
        }
    });
});
