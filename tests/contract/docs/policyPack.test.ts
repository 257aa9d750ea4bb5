import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describePlan } from "../../../provider/lifecycle/walks/describePlan";

const page = readFileSync(join(resolve(__dirname, "../../.."), "docs", "ci.md"), "utf8");

interface Checked {
    readonly type: string;
    readonly name: string;
    readonly props: object;
}

interface Policy {
    validateResource(resource: Checked, report: (message: string) => void): void;
}

/** The policy of the page. It is run with a stand-in for @pulumi/policy, which only hands it over. */
function policyOfThePage(): Policy {
    const code = /```js\n(const \{ PolicyPack \}[^]*?)```/.exec(page)?.[1] ?? "";
    const found: Policy[] = [];
    class PolicyPack {
        constructor(_: string, { policies }: { policies: Policy[] }) {
            found.push(...policies);
        }
    }

    new Function("require", code)(() => ({ PolicyPack }));
    assert.equal(found.length, 1);
    return found[0];
}

describe("the policy pack in docs/ci.md", () => {
    const said = (restarts: number, more: Partial<Checked> = {}) => {
        const pods = Array.from({ length: restarts }, (_, index) => `mine-tikv-${index}`);
        const plan = describePlan([
            { is: "task", words: "settle mine-tikv" },
            ...pods.map((pod) => ({ is: "task", words: `restart ${pod} (new template)` }) as const),
        ]);
        const messages: string[] = [];
        const gate = { type: "pulumi-nodejs:tidb:RolloutGate", name: "mine-tikv-rollout", props: { plan } };
        policyOfThePage().validateResource({ ...gate, ...more }, (message) => messages.push(message));
        return messages;
    };

    it("refuses a third restart of TiKV, and names the pods", () => {
        assert.deepEqual(said(2), []);
        assert.match(said(3).join(), /^3 restarts: restart mine-tikv-0 .*; restart mine-tikv-2 /);
    });

    it("says nothing of other gates and resources", () => {
        assert.deepEqual(said(3, { name: "mine-pd-rollout" }), []);
        assert.deepEqual(said(3, { type: "kubernetes:core/v1:Service", props: {} }), []);
    });
});
