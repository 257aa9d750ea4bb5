import * as assert from "node:assert/strict";
import { clusterFailure } from "../../../bin/clusterFailure";
import { ClusterAccessError } from "../../../provider/cluster/access";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { pinnedWords } from "../../support/pinned";

describe("a command that cannot work on its cluster", () => {
    pinnedWords(
        "cluster-failure",
        Object.fromEntries(
            [undefined, 401, 403, 404, 429, 503].map((status) => [
                status === undefined ? "no answer" : `the API server answers ${status}`,
                () => clusterFailure(new KubernetesApiError("it failed", status)),
            ]),
        ),
    );

    it("leaves an error alone that says it itself", () => {
        assert.equal(
            clusterFailure(new ClusterAccessError("no context; pass --context")),
            "no context; pass --context",
        );
    });
});
