import * as assert from "node:assert/strict";
import { clusterFailure } from "../../../bin/clusterFailure";
import { ClusterAccessError } from "../../../provider/cluster/access";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";

describe("a command that cannot work on its cluster", () => {
    for (const [title, status, next] of [
        [
            "is not answered",
            undefined,
            /^it failed\. Next: check that the cluster runs and that this machine reaches it, or choose another/,
        ],
        ["is not known to the server", 401, /^it failed\. Next: log in again, or choose another user/],
        [
            "lacks a permission",
            403,
            /^it failed\. Next: grant this permission to the user of the kubeconfig, or choose another/,
        ],
        ["meets an overloaded server", 429, /^it failed\. Next: the API server is overloaded or failed: try again$/],
        ["meets a server that fails", 503, /try again$/],
        ["asks for what the server does not have", 404, /^it failed$/],
    ] as const) {
        it(`says what to do next if it ${title}`, () => {
            assert.match(clusterFailure(new KubernetesApiError("it failed", status)), next);
        });
    }

    it("leaves an error alone that says it itself", () => {
        assert.equal(
            clusterFailure(new ClusterAccessError("no context; pass --context")),
            "no context; pass --context",
        );
    });
});
