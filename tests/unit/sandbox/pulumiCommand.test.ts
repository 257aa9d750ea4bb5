import * as assert from "node:assert/strict";
import type { SandboxState } from "../../../sandbox/controlPlane/registry";
import { usableSandbox } from "../../../sandbox/pulumiCommand";

function state(name: string, fields: Partial<SandboxState> = {}): SandboxState {
    return {
        ...{ name, folder: `/sandboxes/${name}`, kubeconfig: `/sandboxes/${name}/kubeconfig` },
        ...{ ownerProcessId: 1, ownerStartMark: "1", createdAt: "2026-01-01T00:00:00Z", ready: true, ...fields },
    };
}

describe("The sandbox that pulumi-tidb sandbox pulumi uses", () => {
    const [one, two] = [state("one"), state("two")];

    it("is the named one, or the only one", () => {
        assert.equal(usableSandbox([one], undefined), one);
        assert.equal(usableSandbox([one, two], "two"), two);
    });

    const refused: [string, SandboxState[], string | undefined, RegExp][] = [
        ["none is running", [], undefined, /^no sandbox is running\. Start one with: pulumi-tidb sandbox start$/],
        ["several are running", [one, two], undefined, /several sandboxes are running \(one, two\).*--sandbox/],
        ["the named one does not run", [one], "two", /"two" is running; running: one\. .* sandbox start --name two$/],
        ["it is still starting", [state("one", { ready: false })], undefined, /"one" is still starting: wait/],
        [
            "it is broken",
            [state("one", { broken: "etcd ended" })],
            "one",
            /broken: etcd ended\. .* stop --name one; then/,
        ],
    ];
    for (const [why, states, name, message] of refused) {
        it(`is not guessed if ${why}: the error says what to do`, () => {
            assert.throws(() => usableSandbox(states, name), { message });
        });
    }
});
