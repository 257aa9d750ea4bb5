import * as assert from "node:assert/strict";
import { noteApprovalWait, recordConsent, takeConsent } from "../../../provider/cluster/leaseNotes";

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
        await recordConsent(api, "tidb", "basic", "3f9c2a11d0e7", { by: "ana", at: 5 });
        const annotations = { "pulumi-tidb.io/approved-plan-3f9c2a11d0e7": '{"by":"ana","at":5}' };
        assert.deepEqual(patches, annotated(annotations));
    });

    it("by a run that waits, and taken back when it ends", async () => {
        const wait = { digest: "3f9c2a11d0e7", of: "", lets: "", by: "", since: 1, at: 2 };
        await noteApprovalWait(api, "tidb", "basic", wait);
        await noteApprovalWait(api, "tidb", "basic", undefined);
        assert.deepEqual(patches, [
            ...annotated({ "pulumi-tidb.io/waits-for-approval": JSON.stringify(wait) }),
            ...annotated({ "pulumi-tidb.io/waits-for-approval": null }),
        ]);
    });

    it("by the holder of the lock: the consent is deleted, and what it leads to is noted in the same write", async () => {
        const writes: object[] = [];
        const lease = { annotate: (annotations: object) => Promise.resolve(void writes.push(annotations)) };
        await takeConsent(lease, ["3f9c2a11d0e7", "000000000000"], { "roll out basic-tikv": "1" });
        assert.deepEqual(writes, [
            {
                "pulumi-tidb.io/approved-plan-3f9c2a11d0e7": null,
                "pulumi-tidb.io/approved-plan-000000000000": null,
                "pulumi-tidb.io/approved-goals": '{"roll out basic-tikv":"1"}',
                "pulumi-tidb.io/waits-for-approval": null,
            },
        ]);
    });
});
