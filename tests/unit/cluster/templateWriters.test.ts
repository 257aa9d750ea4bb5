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

    it("is not who scales the StatefulSet, or writes its status", () => {
        const others = [
            written("kubectl-patch", { "f:spec": { "f:replicas": {} } }),
            written("kube-controller-manager", { "f:status": { "f:replicas": {} } }, { subresource: "status" }),
        ];
        assert.deepEqual(writersOf(...others), []);
        assert.deepEqual(otherTemplateWriters({}), []);
    });
});
