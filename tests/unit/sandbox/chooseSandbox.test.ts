import * as assert from "node:assert/strict";
import type { SandboxState } from "../../../sandbox/controlPlane/registry";
import {
    chooseSandboxes,
    isNamedBy,
    runningSandbox,
    stoppedWords,
    usableSandbox,
    whichOfSeveral,
} from "../../../sandbox/chooseSandbox";

function state(name: string, fields: Partial<SandboxState> = {}): SandboxState {
    return {
        ...{ name, folder: `/sandboxes/${name}`, kubeconfig: `/sandboxes/${name}/kubeconfig` },
        ...{ ownerProcessId: 1, ownerStartMark: "1", createdAt: "2026-01-01T00:00:00Z", ready: true, ...fields },
    };
}

describe("the sandbox of pulumi-tidb sandbox pulumi", () => {
    const command = "npx pulumi-tidb sandbox";
    const [one, two] = [state("one"), state("two")];

    it("is the named one, or the only one", () => {
        assert.equal(usableSandbox([one], undefined, command), one);
        assert.equal(usableSandbox([one, two], "two", command), two);
    });

    it("is of several the one that KUBECONFIG names, unless another one is named", () => {
        const chosen = (name: string | undefined, kubeconfig: string | undefined) =>
            usableSandbox([one, two], name, command, kubeconfig).name;
        assert.equal(chosen(undefined, two.kubeconfig), "two");
        assert.equal(chosen(undefined, "/sandboxes/one/../two/kubeconfig"), "two");
        assert.equal(chosen("one", two.kubeconfig), "one");
        assert.equal(usableSandbox([one], undefined, command, two.kubeconfig), one);
        for (const kubeconfig of [undefined, "", "/kube/config", `${one.kubeconfig}:${two.kubeconfig}`]) {
            assert.throws(() => chosen(undefined, kubeconfig), /KUBECONFIG names none of them/);
        }
        const ofTest = state("test", { program: "mocha a.test.ts" });
        assert.throws(() => usableSandbox([one, two, ofTest], undefined, command, ofTest.kubeconfig), /names none/);
    });

    it("is said where several run, with how to choose another one", () => {
        const ofTest = state("test", { program: "mocha a.test.ts" });
        assert.equal(whichOfSeveral([one, ofTest], one.kubeconfig), "");
        assert.equal(whichOfSeveral([], undefined), "");
        const choose =
            "To choose another one: export KUBECONFIG as `list` shows it; or --sandbox NAME, for `sandbox pulumi`.";
        assert.equal(
            whichOfSeveral([one, two, ofTest], two.kubeconfig),
            `Several sandboxes are running (one, two). KUBECONFIG names "two", so commands use it. ${choose}`,
        );
        assert.equal(
            whichOfSeveral([one, two], undefined),
            `Several sandboxes are running (one, two). KUBECONFIG names none of them, so \`sandbox pulumi\` needs --sandbox. ${choose}`,
        );
        assert.deepEqual(
            [isNamedBy(undefined, one), isNamedBy("", one), isNamedBy(one.kubeconfig, one)],
            [false, false, true],
        );
    });

    it("is not that of another program, such as a test, unless it is named", () => {
        const ofTest = state("test", { program: "mocha a.test.ts" });
        assert.equal(usableSandbox([one, ofTest], undefined, command), one);
        assert.equal(usableSandbox([one, ofTest], "test", command), ofTest);
        assert.throws(() => usableSandbox([ofTest], undefined, command), {
            message:
                /^no sandbox is running, except those of other programs \(test\), which --sandbox can name\. Start one with/,
        });
    });

    const refused: [string, SandboxState[], string | undefined, RegExp][] = [
        ["none is running", [], undefined, /^no sandbox is running\. Start one with: npx pulumi-tidb sandbox start$/],
        [
            "several are running",
            [one, two],
            undefined,
            /^several sandboxes are running \(one, two\), and KUBECONFIG names none of them: .*--sandbox one; .*: export KUBECONFIG=\/sandboxes\/one\/kubeconfig$/,
        ],
        [
            "the named one is not running",
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
        it(`is an error that says what to do if ${why}`, () => {
            assert.throws(() => usableSandbox(states, name, command), { message });
        });
    }
});

describe("pulumi-tidb sandbox stop", () => {
    const [one, two, ofTest] = [state("one"), state("two"), state("test", { program: "mocha a.test.ts" })];

    it("stops the only sandbox, or with --all each one, of those that sandbox start started", () => {
        assert.deepEqual(chooseSandboxes([one, ofTest], undefined, false), [one]);
        assert.deepEqual(chooseSandboxes([one, two, ofTest], undefined, true), [one, two]);
        assert.deepEqual(chooseSandboxes([ofTest], undefined, true), []);
        assert.throws(() => chooseSandboxes([one, two, ofTest], undefined, false), {
            message:
                /^several sandboxes are running \(one, two\), and KUBECONFIG names none of them: choose one with --name, or use --all$/,
        });
    });

    it("stops of several the one that KUBECONFIG names, and says why this one", () => {
        const all = [one, two, ofTest];
        assert.deepEqual(chooseSandboxes(all, undefined, false, two.kubeconfig), [two]);
        assert.deepEqual(chooseSandboxes(all, "one", false, two.kubeconfig), [one]);
        assert.deepEqual(chooseSandboxes(all, undefined, true, two.kubeconfig), [one, two]);
        assert.throws(() => chooseSandboxes(all, undefined, false, ofTest.kubeconfig), /names none of them/);
        assert.deepEqual(stoppedWords(all, [two], undefined), ['Stopped the sandbox "two", which KUBECONFIG names.']);
        assert.deepEqual(stoppedWords(all, [two], "two"), ['Stopped the sandbox "two".']);
        assert.deepEqual(stoppedWords([one, ofTest], [one], undefined), ['Stopped the sandbox "one".']);
        assert.equal(stoppedWords(all, [one, two], undefined).at(-1), 'Stopped the sandbox "two".');
    });

    it("stops a sandbox of another program only by its name", () => {
        assert.deepEqual(chooseSandboxes([ofTest], undefined, false), []);
        assert.deepEqual(chooseSandboxes([one, ofTest], "test", false), [ofTest]);
        assert.throws(() => chooseSandboxes([one, ofTest], "three", false), { message: /running: one, test$/ });
    });
});

describe("pulumi-tidb sandbox start for an existing sandbox", () => {
    const command = "npx pulumi-tidb sandbox";
    const one = state("one", { nodes: 6 });

    it("keeps it, unless another number of nodes was requested", () => {
        assert.equal(runningSandbox([state("two"), one], { name: "one" }, command), one);
        assert.equal(runningSandbox([one], { name: "one", nodes: 6 }, command), one);
        assert.equal(runningSandbox([one], { name: "two", nodes: 3 }, command), undefined);
    });

    const refused: [string, SandboxState, number | undefined, string][] = [
        [
            "runs with another number of nodes",
            one,
            3,
            '--nodes 3: the sandbox "one" runs already, with 6 nodes; expected 6, because nodes are made when a sandbox ' +
                "starts. Stop it first with: npx pulumi-tidb sandbox stop --name one; or start another one with --name",
        ],
        [
            "was started by a version that did not record the number",
            state("one"),
            3,
            '--nodes 3: the sandbox "one" runs already, with a number of nodes that is not recorded; expected no --nodes, ' +
                "because nodes are made when a sandbox starts. Stop it first with: npx pulumi-tidb sandbox stop --name one; " +
                "or start another one with --name",
        ],
        [
            "is broken",
            state("one", { broken: "etcd ended" }),
            undefined,
            'the sandbox "one" is broken: etcd ended. Stop it with: npx pulumi-tidb sandbox stop --name one; then start it again',
        ],
        [
            "is still starting",
            state("one", { ready: false }),
            undefined,
            'the sandbox "one" is still starting: wait until npx pulumi-tidb sandbox list shows it as ready',
        ],
    ];
    for (const [why, found, nodes, message] of refused) {
        it(`ends in an error that says what to do if it ${why}`, () => {
            assert.throws(() => runningSandbox([found], { name: "one", nodes }, command), { message });
        });
    }

    it("is used with --backups if it was started for them, and is refused if not", () => {
        const bucket = { endpoint: "http://127.0.0.1:1", region: "us-east-1", bucket: "backups" };
        const found = state("one", { backups: { ...bucket, accessKey: "A", secretKey: "B" } });
        assert.equal(runningSandbox([found], { name: "one", backups: true }, command), found);
        assert.equal(runningSandbox([found], { name: "one" }, command), found);
        assert.throws(() => runningSandbox([state("one")], { name: "one", backups: true }, command), {
            message:
                '--backups: the sandbox "one" runs already, without the programs of backups, which a sandbox gets when it starts. ' +
                "Stop it first with: npx pulumi-tidb sandbox stop --name one; or start another one with --name",
        });
    });
});
