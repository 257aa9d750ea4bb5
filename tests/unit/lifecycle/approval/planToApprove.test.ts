import * as assert from "node:assert/strict";
import { describeChange } from "../../../../provider/lifecycle/approval/approvalWords";
import type { ApprovalPlan } from "../../../../provider/lifecycle/approval/planToApprove";

describe("how a plan to approve has changed", () => {
    const step = (target: string, risk?: string) => ({ kind: "restart" as const, target, ...(risk ? { risk } : {}) });
    const plan = (more: Partial<ApprovalPlan> = {}): ApprovalPlan => ({
        mode: "step",
        namespace: "tidb",
        cluster: "basic",
        leaseUid: "l",
        of: "roll out basic-pd",
        templateRevision: "t",
        replicas: 3,
        begun: [],
        steps: [step("basic-pd-2"), step("basic-pd-1")],
        ...more,
    });
    const rows: [name: string, now: Partial<ApprovalPlan>, words: string][] = [
        ["a step that came", { steps: [step("a"), ...plan().steps] }, "now with restart a"],
        ["a step that went", { steps: plan().steps.slice(1) }, "without restart basic-pd-2"],
        ["both", { steps: [step("a"), step("basic-pd-1")] }, "now with restart a; without restart basic-pd-2"],
        ["an edit of the template in place", { editedTo: "pd-7" }, "somebody has edited the pod template"],
        ["another template", { templateRevision: "u" }, "somebody has edited the pod template"],
        ["another risk", { steps: [step("basic-pd-2", "r"), step("basic-pd-1")] }, "another risk of basic-pd-2"],
        [
            "another pod of the same name",
            { steps: [{ ...step("basic-pd-2"), uid: "new" }, step("basic-pd-1")] },
            "another basic-pd-2 than before",
        ],
        ["another order", { steps: [step("basic-pd-1"), step("basic-pd-2")] }, "another order"],
    ];
    for (const [name, now, words] of rows) {
        it(`is ${name}`, () => assert.equal(describeChange(plan(), plan(now)), words));
    }
});
