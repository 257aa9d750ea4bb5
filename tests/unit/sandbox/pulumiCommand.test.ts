import * as assert from "node:assert/strict";
import type { SandboxState } from "../../../sandbox/controlPlane/registry";
import { usableSandbox } from "../../../sandbox/chooseSandbox";

function state(name: string, fields: Partial<SandboxState> = {}): SandboxState {
    return {
        ...{ name, folder: `/sandboxes/${name}`, kubeconfig: `/sandboxes/${name}/kubeconfig` },
        ...{ ownerProcessId: 1, ownerStartMark: "1", createdAt: "2026-01-01T00:00:00Z", ready: true, ...fields },
    };
}

describe("The sandbox that pulumi-tidb sandbox pulumi uses", () => {
    const command = "npx pulumi-tidb sandbox";
    const [one, two] = [state("one"), state("two")];

    it("is the named one, or the only one", () => {
        assert.equal(usableSandbox([one], undefined, command), one);
        assert.equal(usableSandbox([one, two], "two", command), two);
    });

    const refused: [string, SandboxState[], string | undefined, RegExp][] = [
        ["none is running", [], undefined, /^no sandbox is running\. Start one with: npx pulumi-tidb sandbox start$/],
        ["several are running", [one, two], undefined, /several sandboxes are running \(one, two\).*--sandbox/],
        [
            "the named one does not run",
            [one],
            "two",
            /"two" is running; running: one\. .*: npx pulumi-tidb sandbox start --name two$/,
        ],
        [
            "it is still starting",
            [state("one", { ready: false })],
            undefined,
            /"one" is still starting: wait until npx pulumi-tidb sandbox list /,
        ],
        [
            "it is broken",
            [state("one", { broken: "etcd ended" })],
            "one",
            /broken: etcd ended\. .*: npx pulumi-tidb sandbox stop --name one; then/,
        ],
    ];
    for (const [why, states, name, message] of refused) {
        it(`is not guessed if ${why}: the error says what to do`, () => {
            assert.throws(() => usableSandbox(states, name, command), { message });
        });
    }
});
