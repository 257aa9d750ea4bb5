import * as assert from "node:assert/strict";
import { argumentProblem } from "../../../bin/approveCommand";
import { approveNext } from "../../../bin/approveNext";
import type { LeaseApi } from "../../../bin/consentOnLease";
import { stepsToConsentTo } from "../../../provider/lifecycle/approval/approvalWords";
import type { ApprovalPlan } from "../../../provider/lifecycle/approval/planToApprove";
import type { ApprovalWait } from "../../../provider/lifecycle/vocabulary/approvals";
import { pinnedWords, refusalOf } from "../../support/pinned";

const now = Date.UTC(2026, 10, 22, 17, 30, 0);
const wait: ApprovalWait = {
    digest: "3f9c2a11d0e7",
    of: "roll out basic-tikv",
    lets: "restart basic-tikv-2, the first of 3 steps",
    steps: ["restart basic-tikv-2; risk: one store holds the only replica of each region"],
    by: "ci@runner, process 71 (90ab3c)",
    since: now - 60_000,
    at: now - 10_000,
};
const later: ApprovalWait = { ...wait, digest: "81d0c6f5a2b4", of: "roll out basic-pd", since: now - 30_000 };

/** The cluster's Lease, and what a person answers. */
function cluster(waits: readonly ApprovalWait[], given: readonly string[] = []) {
    const annotations: Record<string, string> = {};
    const write = (some: readonly ApprovalWait[]) => {
        for (const key of Object.keys(annotations).filter((one) => one.includes("waits-for-approval"))) {
            delete annotations[key];
        }
        some.forEach((one, index) => {
            annotations[`pulumi-tidb.io/waits-for-approval-${index}`] = JSON.stringify(one);
        });
    };
    write(waits);
    for (const digest of given) {
        annotations[`pulumi-tidb.io/approved-plan-${digest}`] = JSON.stringify({ by: "ana@laptop", at: now - 1_000 });
    }
    const patches: { metadata: { annotations: Record<string, string> } }[] = [];
    const shown: string[] = [];
    const api = {
        server: "https://k8s.example",
        serverNow: () => now,
        readLease: () =>
            Promise.resolve({ metadata: { name: "basic-pulumi-tidb", resourceVersion: "1", annotations } }),
        patchLease: (_namespace: string, _name: string, patch: (typeof patches)[number]) => {
            patches.push(patch);
            return Promise.resolve({});
        },
    } as unknown as LeaseApi;
    const approve = (answer: () => boolean) =>
        approveNext(
            api,
            { namespace: "tidb", cluster: "basic" },
            { show: (text) => void shown.push(text), confirm: () => Promise.resolve(answer()) },
        );
    const recorded = () => patches.flatMap(({ metadata }) => Object.keys(metadata.annotations));
    return { approve, write, shown, recorded };
}

describe("approve --next", () => {
    it("shows the plan that has waited longest, whole and with its risks, and consents to that digest", async () => {
        const { approve, shown, recorded } = cluster([later, wait]);
        await approve(() => true);
        for (const part of [wait.digest, wait.of, wait.lets, ...(wait.steps ?? [])]) {
            assert.ok(shown.join("").includes(part), part);
        }
        assert.deepEqual(recorded(), ["pulumi-tidb.io/approved-plan-3f9c2a11d0e7"]);
    });

    it("records nothing if the answer is no", async () => {
        const { approve, recorded } = cluster([wait]);
        await assert.rejects(approve(() => false));
        assert.deepEqual(recorded(), []);
    });

    it("records nothing if the plan has become another one, or the run has ended, while the person read it", async () => {
        for (const then of [
            [],
            [later],
            [{ ...wait, digest: "000000000000" }],
            [{ ...wait, lets: "remove basic-tikv-2" }],
        ]) {
            const { approve, write, recorded } = cluster([wait]);
            await assert.rejects(
                approve(() => {
                    write(then);
                    return true;
                }),
            );
            assert.deepEqual(recorded(), []);
        }
    });

    it("takes the next plan if somebody has consented to the first one, and says so if to all", async () => {
        const { approve, recorded } = cluster([later, wait], [wait.digest]);
        await approve(() => true);
        assert.deepEqual(recorded(), [`pulumi-tidb.io/approved-plan-${later.digest}`]);
        const all = cluster([wait], [wait.digest]);
        await all.approve(() => assert.fail("nothing to ask"));
        assert.deepEqual([all.shown, all.recorded()], [[], []]);
    });

    it("is an error if no run waits: a consent must be to something that was shown", async () => {
        for (const waits of [[], [{ ...wait, at: now - 91_000 }]]) {
            const { approve, recorded } = cluster(waits);
            await assert.rejects(
                approve(() => true),
                { name: "Error" },
            );
            assert.deepEqual(recorded(), []);
        }
    });

    const words = async ({ approve, shown }: ReturnType<typeof cluster>) => {
        const answer = await approve(() => true);
        return `${shown.join("")}${answer}`;
    };
    const ended = cluster([wait]);
    pinnedWords("approve-next", {
        "the plan that has waited longest": () => words(cluster([later, wait])),
        "a plan that a run of an earlier version noted, with control characters": () =>
            words(cluster([{ ...wait, steps: undefined, lets: "restart \u001b[2J" }])),
        "all plans are approved already": () => words(cluster([wait], [wait.digest])),
        "the answer is no": refusalOf(() => cluster([wait]).approve(() => false)),
        "the run ends while the person reads": refusalOf(() =>
            ended.approve(() => {
                ended.write([]);
                return true;
            }),
        ),
        "no run waits": refusalOf(() => cluster([]).approve(() => true)),
    });

    it("asks in a terminal, and without one needs --yes", () => {
        const problem = (digest: string | undefined, next: boolean, yes: boolean, isTerminal: boolean) =>
            argumentProblem(digest, { next, yes }, isTerminal);
        assert.equal(problem(undefined, true, false, true), undefined);
        assert.equal(problem(undefined, true, true, false), undefined);
        assert.equal(problem("3f9c2a11d0e7", false, false, false), undefined);
        for (const [digest, next, yes, isTerminal] of [
            [undefined, true, false, false],
            ["3f9c2a11d0e7", true, true, true],
            ["3f9c2a11d0e7", false, true, true],
            [undefined, false, false, true],
            ["xyz", false, false, true],
        ] as const) {
            assert.ok(problem(digest, next, yes, isTerminal), `${digest} ${next} ${yes}`);
        }
    });
});

describe("the steps that a run notes with its wait", () => {
    const plan = (count: number, mode: ApprovalPlan["mode"]): ApprovalPlan => ({
        ...{ mode, namespace: "tidb", cluster: "basic", leaseUid: "1", of: "roll out basic-tikv", replicas: count },
        ...{ begun: [] },
        steps: Array.from({ length: count }, (_, index) => ({
            kind: "restart" as const,
            target: `basic-tikv-${index}`,
            ...(index === 0 ? { risk: "it is the last" } : {}),
        })),
    });

    it("are those that a consent lets through, each with its risk", () => {
        assert.deepEqual(stepsToConsentTo(plan(3, "step")), ["restart basic-tikv-0; risk: it is the last"]);
        assert.deepEqual(stepsToConsentTo(plan(2, "member")), [
            "restart basic-tikv-0; risk: it is the last",
            "restart basic-tikv-1",
        ]);
    });

    it("have room on the Lease: of many it has the first, and how many more there are", () => {
        const steps = stepsToConsentTo(plan(1_000, "member"));
        assert.deepEqual([steps.length, steps.at(-1)], [51, "950 more"]);
    });
});
