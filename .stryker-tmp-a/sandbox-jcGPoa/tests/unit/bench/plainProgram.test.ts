import * as assert from "node:assert/strict";
import { plainProgram } from "../../../bench/plainProgram";

describe("bench: a program of plain resources", () => {
    it("declares each object by its own class, in the namespace's resource", () => {
        const text = plainProgram([
            { apiVersion: "v1", kind: "Namespace", metadata: { name: "plain" } },
            { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "a", namespace: "plain" } },
            { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "b", namespace: "plain" }, spec: {} },
        ]);
        assert.match(text, /^import \* as k8s from "@pulumi\/kubernetes";/);
        assert.match(text, /const namespace = new k8s\.core\.v1\.Namespace\("plain-0"/);
        assert.match(text, /new k8s\.rbac\.v1\.Role\("a-1"/);
        assert.match(text, /new k8s\.apps\.v1\.StatefulSet\("b-2"/);
        assert.equal(text.match(/"namespace": namespace\.metadata\.name/g)?.length, 2);
        assert.doesNotMatch(text, /apiVersion/);
    });
});
