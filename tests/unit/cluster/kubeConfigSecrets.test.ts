import * as assert from "node:assert/strict";
import { inspect } from "node:util";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { repeats } from "../../support/repeats";

const content = `apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: "https://x"}}]
users: [{name: u, user: {token: hunter2}}]
contexts: [{name: c, context: {cluster: a, user: u}}]
current-context: c
`;

describe("An error of a kubeconfig does not show its credentials", () => {
    for (const [what, kubeconfig, reason] of [
        ["base64", Buffer.from(content).toString("base64"), "base64"],
        ["a text that is too long for a path", "hunter2".repeat(1_000), ""],
        ["an unknown alias", content.replace("hunter2", "*hunter2"), "line 4"],
        ["an unknown tag", content.replace("hunter2", "!hunter2 x"), "line 4"],
        ["an open quote", content.replace("hunter2", '"hunter2'), "line 7, column 1"],
    ] as const) {
        it(`for ${what}`, async () => {
            const error = await loadKubeConfig({ kubeconfig }).then(
                () => assert.fail("no error"),
                (one: Error) => one,
            );
            repeats(error.message, reason);
            assert.doesNotMatch(inspect(error), /hunter2|aHVudGVyMg/);
        });
    }

    it("and a path is shown", async () => {
        await assert.rejects(loadKubeConfig({ kubeconfig: "/nowhere/config" }), /: \/nowhere\/config, given as/);
    });
});
