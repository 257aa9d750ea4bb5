import { type Mutation, testsOf } from "./mutation";

const { cluster, gates } = testsOf;

/** Rules of consents: which count, and what becomes of those that are withdrawn, used or cannot be read. */
export const ofConsents: readonly Mutation[] = [
    {
        name: "a consent that was withdrawn is used",
        file: "provider/cluster/fencedLease.ts",
        find: "if (!isStill(this.seen)) {",
        replace: "if (this.seen === undefined) {",
        tests: cluster("clusterLock"),
    },
    {
        name: "a consent that came after the last renewal cannot be used",
        file: "provider/cluster/fencedLease.ts",
        find: "this.adopt(await readLease(this.api, this.namespace, this.cluster));\n            if",
        replace: "if",
        tests: cluster("clusterLock"),
    },
    {
        name: "a consent need not be there when it is taken",
        file: "provider/cluster/leaseNotes.ts",
        find: "({ approvals }) => needs === undefined || approvals?.given[needs] !== undefined",
        replace: "() => true",
        tests: cluster("clusterLock"),
    },
    {
        name: "a withdrawn consent counts as taken, because an earlier one had the same goal",
        file: "provider/gates/approvals.ts",
        find: "approvals.used?.[digest]?.at === taking.at;",
        replace: "true;",
        tests: gates("approvals"),
    },
    {
        name: "a run takes a consent without asking whether it is still there",
        file: "provider/gates/approvals.ts",
        find: "nowUsed, earlier ? undefined : digest)",
        replace: "nowUsed)",
        tests: gates("approvals"),
    },
    {
        name: "a consent counts although nobody can tell whether the template was edited",
        file: "provider/gates/approvals.ts",
        find: "return isOnRecord && plan.firstProblem === undefined;",
        replace: "return isOnRecord;",
        tests: gates("approvals"),
    },
    {
        name: "a gate that lowers the number of replicas asks for a consent that is not in the plan",
        file: "provider/gates/approvals.ts",
        find: 'move.kind === "done" || isEndOfPlan(move.action)',
        replace: 'move.kind === "done"',
        tests: gates("approvals"),
    },
    {
        name: "a run asks for a replacement that it does not make, and not for the removal that it makes",
        file: "provider/gates/scaleGate.ts",
        find: "planFailover(observation, wanted, failover, limits)",
        replace: "planFailover(observation, wanted, failover)",
        tests: ["tests/unit/failover/consentedRemovals.test.ts"],
    },
    {
        name: "a run waits for a consent that cannot count",
        file: "provider/gates/approvals.ts",
        find: "if (plan.firstProblem !== undefined) {",
        replace: 'if (plan.firstProblem === "") {',
        tests: gates("approvals"),
    },
    {
        name: "a first revision that cannot be read is none",
        file: "provider/cluster/leaseConsents.ts",
        find: '...byMember("firstProblems", first.problems),',
        replace: "",
        tests: cluster("leaseView"),
    },
    {
        name: "a note that has no shape is taken for one",
        file: "provider/cluster/leaseConsents.ts",
        find: "if (holds !== undefined) {",
        replace: 'if (holds === "") {',
        tests: cluster("leaseView"),
    },
    {
        name: "one note that cannot be read ends every command",
        file: "provider/cluster/leaseConsents.ts",
        find: "problems[annotation] = (error as Error).message;",
        replace: "throw error;",
        tests: cluster("leaseView"),
    },
    {
        name: "a wait is shown after its consent was used",
        file: "provider/lifecycle/vocabulary/approvals.ts",
        find: "wait.at < used[wait.digest].at",
        replace: "wait.at < 0",
        tests: ["tests/unit/status/approvalStatus.test.ts"],
    },
    {
        name: "a consent that was used is withdrawn",
        file: "bin/consentOnLease.ts",
        find: "if (taken) {",
        replace: 'if (taken?.by === "") {',
        tests: ["tests/unit/status/approvalStatus.test.ts"],
    },
    {
        name: "a consent is withdrawn from a Lease that has changed",
        file: "bin/consentOnLease.ts",
        find: "answer.write, lease.resourceVersion)",
        replace: 'answer.write, "2")',
        tests: ["tests/unit/status/approvalStatus.test.ts"],
    },
    {
        name: "a plan is approved while a wait cannot be read",
        file: "bin/approveCommand.ts",
        find: "if (waitsProblem !== undefined && !isAhead) {",
        replace: 'if (waitsProblem === "" && !isAhead) {',
        tests: ["tests/unit/status/approvalStatus.test.ts"],
    },
];
