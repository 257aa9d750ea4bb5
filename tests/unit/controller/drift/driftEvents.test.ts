import * as assert from "node:assert/strict";
import { driftEvent } from "../../../../controller/drift/driftEvents";
import type { DriftedObject } from "../../../../controller/drift/judgeDrift";

const cluster = { namespace: "tidb", cluster: "basic" };

function drifted(type: string, more: Partial<DriftedObject> = {}): DriftedObject {
    return { urn: "urn", type, name: "one", namespace: "tidb", change: "edited", differs: [], ...more };
}

describe("The Event of an object that drifted", () => {
    const rows: [title: string, one: DriftedObject, on: string | undefined][] = [
        ["an edited one", drifted("kubernetes:core/v1:Service"), "tidb: v1 Service one"],
        [
            "an edited one of a group",
            drifted("kubernetes:cert-manager.io/v1:Certificate", { cluster }),
            "tidb: cert-manager.io/v1 Certificate one",
        ],
        [
            "a deleted one of a cluster, on its Lease",
            drifted("kubernetes:core/v1:Secret", { cluster, change: "deleted" }),
            "tidb: of the package Lease basic-pulumi-tidb",
        ],
        [
            "a deleted one of no cluster, which `kubectl get events` still shows",
            drifted("kubernetes:core/v1:Secret", { change: "deleted" }),
            "tidb: v1 Secret one",
        ],
        [
            "none of one without a namespace",
            drifted("kubernetes:core/v1:Namespace", { namespace: undefined }),
            undefined,
        ],
        ["none of a resource outside of Kubernetes", drifted("aws:s3/bucket:Bucket"), undefined],
    ];
    for (const [title, one, on] of rows) {
        it(`is on ${title}`, () => {
            const found = driftEvent(one, "somebody edited it", "prod");
            const { apiVersion = "of the package", kind, name } = found?.event.object ?? { kind: "", name: "" };
            assert.equal(found && `${found.namespace}: ${apiVersion} ${kind} ${name}`, on);
        });
    }

    it("is no longer than Kubernetes takes", () => {
        const { event } = driftEvent(drifted("kubernetes:core/v1:Service"), "x".repeat(3_000), "prod") ?? {};
        assert.ok(Buffer.byteLength(event?.note ?? "") <= 1_024);
        assert.match(event?.note ?? "", /^xxx/);
    });
});
