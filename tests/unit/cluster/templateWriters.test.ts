import * as assert from "node:assert/strict";
import { otherTemplateWriters } from "../../../provider/cluster/templateWriters";

const template = { "f:spec": { "f:template": { "f:spec": {} } } };
const at = "2026-11-25T22:51:09Z";
const written = (manager: string, fieldsV1: object, more = {}) => ({ manager, fieldsV1, time: new Date(at), ...more });
const writersOf = (...managedFields: object[]) =>
    otherTemplateWriters({ metadata: { managedFields } as Parameters<typeof otherTemplateWriters>[0]["metadata"] });

describe("who writes a pod template", () => {
    it("is found besides Pulumi, with and without server-side apply, and besides the gates", () => {
        const own = ["pulumi-kubernetes-1a2b3c", "pulumi-resource-kubernetes", "pulumi-tidb"];
        assert.deepEqual(
            writersOf(...own.map((manager) => written(manager, template)), written("kubectl-set", template)),
            [{ manager: "kubectl-set", at: Date.parse(at) }],
        );
    });

    it("loses its fields to the Kubernetes provider if it is kubectl, and nobody else has them too", () => {
        const metadata = (...names: string[]) => ({
            "f:spec": {
                "f:template": {
                    "f:metadata": { "f:annotations": Object.fromEntries(names.map((one) => [one, {}])) },
                },
            },
        });
        const program = written("pulumi-kubernetes-1a2b3c", metadata("f:a", "f:b"), { operation: "Apply" });
        const goes = (manager: string, names: string[], ...others: object[]) =>
            writersOf(program, ...others, written(manager, metadata(...names)))
                .filter((one) => one.isTakenOut)
                .map((one) => one.manager);
        assert.deepEqual(goes("kubectl-patch", ["f:own"]), ["kubectl-patch"]);
        assert.deepEqual(goes("kubectl", ["f:a", "f:own"]), ["kubectl"]);
        assert.deepEqual(goes("before-first-apply", ["f:own"]), ["before-first-apply"]);
        assert.deepEqual(goes("kubectl-patch", [".", "f:b"]), [], "Pulumi has it too");
        assert.deepEqual(goes("istio", ["f:own"]), [], "the provider takes over nothing of others");
        assert.deepEqual(
            goes("kubectl-patch", ["f:own"], written("istio", metadata("f:own"))),
            [],
            "another one keeps it",
        );
        assert.deepEqual(goes("kubectl-patch", ["f:own"], written("kubectl-edit", metadata("f:own"))), [
            "kubectl-edit",
            "kubectl-patch",
        ]);
    });

    it("is not who scales the StatefulSet, or writes its status", () => {
        const others = [
            written("kubectl-patch", { "f:spec": { "f:replicas": {} } }),
            written("kube-controller-manager", { "f:status": { "f:replicas": {} } }, { subresource: "status" }),
        ];
        assert.deepEqual(writersOf(...others), []);
        assert.deepEqual(otherTemplateWriters({}), []);
    });
});
