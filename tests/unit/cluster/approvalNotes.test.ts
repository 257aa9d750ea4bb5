import * as assert from "node:assert/strict";
import type { ApprovalWait } from "../../../provider/lifecycle/vocabulary/approvals";
import { viewLease } from "../../../provider/cluster/leaseView";
import { noteApprovalWait, noteFirstRevision, recordConsent, takeConsent } from "../../../provider/cluster/leaseNotes";

interface Patch {
    metadata: { annotations: Record<string, string | null> };
}

describe("what is written of consents", () => {
    const patches: unknown[] = [];
    const api = {
        patchLease: (namespace: string, name: string, patch: object) => {
            patches.push([namespace, name, patch]);
            return Promise.resolve({});
        },
    };
    const annotated = (annotations: object) => [["tidb", "basic-pulumi-tidb", { metadata: { annotations } }]];
    beforeEach(() => void patches.splice(0));

    it("by a person: an annotation of its own for each plan, so two consents do not overwrite each other", async () => {
        await recordConsent(api, "tidb", "basic", "3f9c2a11d0e7", { by: "ana", at: 5 }, "7");
        const annotations = { "pulumi-tidb.io/approved-plan-3f9c2a11d0e7": '{"by":"ana","at":5}' };
        // With the version that was read: a run that has used an earlier consent meanwhile must not get it back.
        const metadata = { annotations, resourceVersion: "7" };
        assert.deepEqual(patches, [["tidb", "basic-pulumi-tidb", { metadata }]]);
    });

    describe("by runs that wait", () => {
        const wait = { digest: "3f9c2a11d0e7", lets: "restart basic-tikv-2", since: 1_000, at: 1_000 };
        const ana = { by: "ana@laptop, process 7", of: "roll out basic-tikv" };
        const ben = { ...ana, by: "ben@build, process 9" };
        const day = 86_400_000;
        /** The Lease, as the API server has it. */
        const leaseOf = (serverNow?: number) => {
            const annotations: Record<string, string> = {};
            const lease = () => Promise.resolve({ metadata: { annotations } });
            const patchLease = (_namespace: string, _name: string, { metadata }: Patch) => {
                for (const [key, value] of Object.entries(metadata.annotations)) {
                    if (value === null) {
                        delete annotations[key];
                    } else {
                        annotations[key] = value;
                    }
                }
                return lease();
            };
            const api = { readLease: lease, patchLease, serverNow: () => serverNow } as never;
            const waits = () => Object.values(annotations).map((one) => JSON.parse(one) as ApprovalWait);
            const note = (who: typeof ana, what: typeof wait | undefined, now = 1_000) =>
                noteApprovalWait(api, "tidb", "basic", who, what, () => now);
            return { waits, note };
        };

        it("each has a note of its own, and removes only that", async () => {
            const { waits, note } = leaseOf();
            await note(ana, wait);
            await note(ben, wait);
            await note({ ...ben, of: "scale basic-tikv to 3" }, wait);
            assert.deepEqual(waits().length, 3);
            await note(ana, { ...wait, at: 31_000 });
            assert.deepEqual(waits()[0], { ...wait, ...ana, at: 31_000 });
            await note(ana, undefined);
            assert.deepEqual(
                waits().map(({ by }) => by),
                [ben.by, ben.by],
            );
        });

        it("has the API server's time, so a wrong clock makes nobody look killed", async () => {
            const { waits, note } = leaseOf(5_000_000);
            await note(ana, wait, 3_000);
            assert.deepEqual(waits()[0], { ...wait, ...ana, since: 4_998_000, at: 4_998_000 });
        });

        it("the next run removes the notes of killed ones after a day, and not earlier", async () => {
            const { waits, note } = leaseOf();
            await note(ana, wait);
            await note(ben, { ...wait, since: day, at: day });
            assert.equal(waits().length, 2);
            await note(ben, { ...wait, since: day + 2_000, at: day + 2_000 });
            assert.deepEqual(
                waits().map(({ by }) => by),
                [ben.by],
            );
        });
    });

    it("by a run, before it shows a digest: the revision of the template", async () => {
        await noteFirstRevision(api, "tidb", "basic", "tikv", { template: "new", revision: "basic-tikv-1" });
        const first = '{"template":"new","revision":"basic-tikv-1"}';
        assert.deepEqual(patches, annotated({ "pulumi-tidb.io/first-revision-tikv": first }));
    });

    it("by the holder of the lock, who leaves a record of used consents that cannot be read as it is", async () => {
        const writes: object[] = [];
        const lease = { annotate: (annotations: object) => Promise.resolve(void writes.push(annotations)) };
        await takeConsent(lease, ["3f9c2a11d0e7"], {}, undefined);
        assert.deepEqual(Object.keys(writes[0]), [
            "pulumi-tidb.io/approved-plan-3f9c2a11d0e7",
            "pulumi-tidb.io/approved-goals",
        ]);
    });

    it("by the holder of the lock: the consent is deleted, and what it leads to is noted in the same write", async () => {
        const writes: object[] = [];
        const lease = { annotate: (annotations: object) => Promise.resolve(void writes.push(annotations)) };
        await takeConsent(
            lease,
            ["3f9c2a11d0e7", "000000000000"],
            { "roll out basic-tikv": "1" },
            {
                "3f9c2a11d0e7": { by: "ana@laptop", at: 5 },
            },
        );
        assert.deepEqual(writes, [
            {
                "pulumi-tidb.io/approved-plan-3f9c2a11d0e7": null,
                "pulumi-tidb.io/approved-plan-000000000000": null,
                "pulumi-tidb.io/approved-goals": '{"roll out basic-tikv":"1"}',
                "pulumi-tidb.io/used-consents": '{"3f9c2a11d0e7":{"by":"ana@laptop","at":5}}',
            },
        ]);
        const annotations = Object.fromEntries(
            Object.entries(writes[0]).filter((one): one is [string, string] => one[1] !== null),
        );
        assert.deepEqual(viewLease({ metadata: { annotations } }).approvals, {
            given: {},
            goals: { "roll out basic-tikv": "1" },
            used: { "3f9c2a11d0e7": { by: "ana@laptop", at: 5 } },
        });
    });
});
