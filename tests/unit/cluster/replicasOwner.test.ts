import type { V1ManagedFieldsEntry } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { gatesOwnReplicas, scaledBy, withReplicasGivenBack } from "../../../provider/cluster/replicasOwner";

/** As Kubernetes 1.36 shows them after a gate has changed the number of replicas that Pulumi had applied. */
const pulumi: V1ManagedFieldsEntry = {
    manager: "pulumi-kubernetes-4f1c2a",
    operation: "Apply",
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:labels": {} }, "f:spec": { "f:serviceName": {}, "f:template": { "f:spec": {} } } },
};
const gates: V1ManagedFieldsEntry = {
    manager: "pulumi-tidb",
    operation: "Update",
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
};
const status: V1ManagedFieldsEntry = {
    manager: "kube-controller-manager",
    operation: "Update",
    subresource: "status",
    fieldsV1: { "f:status": { "f:replicas": {} } },
};

describe("who owns a StatefulSet's number of replicas", () => {
    it("is the gates' field manager after a gate has changed it, and nobody else's writes look like that", () => {
        assert.equal(gatesOwnReplicas({ metadata: { managedFields: [pulumi, gates, status] } }), true);
        const scaled = { ...gates, subresource: "scale" };
        assert.equal(gatesOwnReplicas({ metadata: { managedFields: [pulumi, scaled, status] } }), true, "as it does");
        assert.equal(gatesOwnReplicas({ metadata: { managedFields: [pulumi, status] } }), false);
        assert.equal(gatesOwnReplicas({ metadata: { managedFields: [{ ...gates, manager: "kubectl" }] } }), false);
        assert.equal(gatesOwnReplicas({ metadata: {} }), false);
    });

    it("is somebody else who has scaled by hand, too; without owners nobody is known", () => {
        const kubectl = { ...gates, manager: "kubectl", subresource: "scale" };
        const applied = { ...pulumi, fieldsV1: { "f:spec": { "f:replicas": {}, "f:template": {} } } };
        const by = (...managedFields: V1ManagedFieldsEntry[]) => scaledBy({ metadata: { managedFields } });
        assert.equal(by(pulumi, kubectl, status), "kubectl");
        assert.equal(by(applied, kubectl), "kubectl", "Pulumi has applied the same number");
        const autoscaler = { ...kubectl, manager: "kube-controller-manager" };
        assert.equal(by(pulumi, autoscaler, status), "kube-controller-manager");
        const patch = { ...gates, manager: "pulumi-kubernetes-91b0aa", operation: "Apply" };
        assert.equal(by(pulumi, patch), "pulumi-kubernetes-91b0aa", "a StatefulSetPatch of another stack");
        const created = { ...applied, manager: "pulumi-kubernetes", operation: "Update" };
        const scaled = { ...gates, subresource: "scale" };
        for (const owners of [
            [applied, status],
            [created],
            [applied, created],
            [gates, status],
            [scaled],
            [status],
            [],
        ]) {
            assert.equal(by(...owners), undefined);
        }
        // After `kubectl scale` of a number without an owner Kubernetes 1.36 shows none either.
        assert.equal(by(pulumi, status), "somebody whom Kubernetes does not name");
        assert.equal(scaledBy({ metadata: {} }), undefined);
    });

    it("is given back to whoever applied the pod template; everything else stays", () => {
        const back = withReplicasGivenBack([pulumi, gates, status]);
        assert.deepEqual(back, [
            {
                ...pulumi,
                fieldsV1: {
                    "f:metadata": { "f:labels": {} },
                    "f:spec": { "f:replicas": {}, "f:serviceName": {}, "f:template": { "f:spec": {} } },
                },
            },
            status,
        ]);
    });

    it("is given back by each writer of the subresource `scale`, the gates included", () => {
        const scaled = { ...gates, subresource: "scale" };
        const autoscaler = { ...scaled, manager: "kube-controller-manager" };
        const back = withReplicasGivenBack([pulumi, scaled, autoscaler, status]);
        assert.deepEqual(back, withReplicasGivenBack([pulumi, gates, status]));
        const seen = { metadata: { managedFields: back } };
        assert.deepEqual([gatesOwnReplicas(seen), scaledBy(seen)], [false, undefined]);
    });

    it("is given back to whoever created the StatefulSet, as the provider does: by an Update", () => {
        const created = { ...pulumi, manager: "pulumi-kubernetes", operation: "Update" };
        const back = withReplicasGivenBack([created, gates, status]);
        assert.deepEqual(back[0].fieldsV1, {
            ...created.fieldsV1,
            "f:spec": { "f:replicas": {}, "f:serviceName": {}, "f:template": { "f:spec": {} } },
        });
        assert.equal(scaledBy({ metadata: { managedFields: back } }), undefined);
        assert.deepEqual(withReplicasGivenBack([created, pulumi, gates])[0], created, "an Apply comes first");
    });

    it("is given back by whoever has scaled by hand, who keeps other fields", () => {
        const kubectl = { ...gates, manager: "kubectl", subresource: "scale" };
        const applied = { ...pulumi, fieldsV1: { "f:spec": { "f:replicas": {}, "f:template": {} } } };
        assert.deepEqual(withReplicasGivenBack([applied, kubectl, status]), [applied, status]);
        const more = { ...kubectl, fieldsV1: { "f:spec": { "f:replicas": {}, "f:template": {} } } };
        const back = withReplicasGivenBack([applied, more]);
        assert.deepEqual(back, [applied, { ...more, fieldsV1: { "f:spec": { "f:template": {} } } }]);
        assert.equal(scaledBy({ metadata: { managedFields: back } }), undefined);
        const other = { ...more, manager: "argocd", operation: "Apply" };
        assert.equal(scaledBy({ metadata: { managedFields: withReplicasGivenBack([pulumi, other]) } }), undefined);
    });

    it("keeps other fields of the gates, and belongs to nobody if nobody applied a template", () => {
        const more = { ...gates, fieldsV1: { ...gates.fieldsV1, "f:metadata": { "f:annotations": {} } } };
        assert.deepEqual(withReplicasGivenBack([more]), [
            { ...gates, fieldsV1: { "f:metadata": { "f:annotations": {} } } },
        ]);
        const edited = { ...pulumi, manager: "kubectl-edit", operation: "Update" };
        assert.deepEqual(withReplicasGivenBack([edited, gates]), [edited]);
    });
});
