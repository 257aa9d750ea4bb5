import * as assert from "node:assert/strict";
import { kubernetesClient } from "../../../sandbox/engine/kubernetes/client";
import { withFieldsTakenOver } from "../../../sandbox/engine/kubernetes/takenOver";

const fields = (...names: string[]) => ({ "f:data": Object.fromEntries(names.map((one) => [`f:${one}`, {}])) });
const own = { manager: "pulumi-kubernetes-1a2b", operation: "Apply", fieldsV1: fields("a") };
const entry = (manager: string, names: string[], more = {}) => ({
    manager,
    operation: "Update",
    fieldsV1: fields(...names),
    ...more,
});

describe("engine: fields that an update takes over", () => {
    it("are those of kubectl, so what the program lacks of them goes", () => {
        const status = entry("kubectl-edit", ["s"], { subresource: "status" });
        const others = [entry("istio", ["i"]), entry("pulumi-tidb", ["g"]), status];
        const taken = withFieldsTakenOver(
            [own, ...others, entry("kubectl-patch", ["b"]), entry("kubectl", ["c"], { operation: "Apply" })],
            own.manager,
        );
        assert.deepEqual(taken, [...others, { ...own, fieldsV1: fields("a", "b", "c") }]);
    });

    it("go to a manager that had none before", () => {
        const taken = withFieldsTakenOver([entry("kubectl-create", ["b"])], own.manager);
        assert.deepEqual(taken, [{ ...own, fieldsV1: fields("b") }]);
    });

    it("are none if kubectl wrote none", () => {
        assert.equal(withFieldsTakenOver([own, entry("istio", ["i"])], own.manager), undefined);
    });

    it("are written to the object, without a change of anything else", async () => {
        const sent: unknown[] = [];
        const client = kubernetesClient({
            server: "",
            namespace: "default",
            send: (method, path, options) => {
                sent.push([method, path, options]);
                const resources = [{ name: "configmaps", kind: "ConfigMap", namespaced: true }];
                return Promise.resolve({ status: 200, body: { resources } });
            },
        });
        await client.setManagedFields({ apiVersion: "v1", kind: "ConfigMap", name: "mine", namespace: "a" }, [own]);
        assert.deepEqual(sent.at(-1), [
            "PATCH",
            "/api/v1/namespaces/a/configmaps/mine",
            {
                body: [{ op: "replace", path: "/metadata/managedFields", value: [own] }],
                contentType: "application/json-patch+json",
            },
        ]);
    });
});
