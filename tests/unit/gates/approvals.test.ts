import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { runOperation } from "../../../provider/gates/loop";
import { operationApproval } from "../../../provider/gates/operationApproval";
import { approvalDigest, goalOf } from "../../../provider/lifecycle/approval/approvalDigest";
import { approvalPlan } from "../../../provider/lifecycle/approval/approvalPlan";
import type { ApprovalMode } from "../../../provider/lifecycle/vocabulary/approvals";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import type { PlanStep } from "../../../provider/lifecycle/walks/planStep";
import { type Faults, record, type Recorded } from "../../support/gates/recordedPorts";
import { evicting, now, observed } from "../../support/lifecycle/observations";
import { isFailure } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

/** What one run sees, and what a person does meanwhile. */
interface Scene {
    mode?: ApprovalMode;
    /** The pods that are left to restart, highest first. A restart takes the first away. */
    left: string[];
    /** What a restart puts at risk, as the plan says now. */
    risk?: string;
    templateRevision: string;
    ports: Recorded;
    /** Called at each pause, with how often the run has paused. */
    meanwhile: (pauses: number) => void;
    /** Whether the end of the operation carries out the steps that are left. */
    coversEnd: boolean;
}

const pod = (ordinal: number) => `basic-tikv-${ordinal}`;
const of = "roll out basic-tikv";
const restartOf = (name: string): Action => ({
    do: "delete-pod",
    pod: name,
    uid: `uid of ${name}`,
    resourceVersion: "1",
});
const inputs = { namespace: "tidb", cluster: "basic", leaseUid: "lease-1", component: "tikv" } as const;

function sceneOf(faults: Faults = {}, more: Partial<Scene> = {}): Scene {
    const ports = record({ ...faults, observe: { pdClusterId: "7", ...faults.observe } });
    const scene: Scene = {
        mode: "step",
        left: [pod(2), pod(1)],
        templateRevision: "new",
        meanwhile: () => undefined,
        coversEnd: false,
        ...more,
        ports,
    };
    let pauses = 0;
    ports.sleep = (milliseconds) => {
        ports.time += milliseconds;
        scene.meanwhile((pauses += 1));
        return Promise.resolve();
    };
    const { perform } = ports;
    ports.perform = async (action) => {
        await perform(action);
        if (action.do === "delete-pod") {
            scene.left = scene.left.filter((one) => one !== action.pod);
        }
    };
    return scene;
}

const stepOf = (target: string, risk?: string): PlanStep => ({
    kind: "restart",
    component: "tikv",
    target,
    why: "old revision",
    does: [],
    waitsFor: "Ready",
    estimateSeconds: 1,
    risk,
    ...(risk?.startsWith("restarts beside") ? { alone: {} } : {}),
});

function planned(scene: Scene) {
    const target = { ...observed("tikv", {}).target, templateRevision: scene.templateRevision };
    return { steps: scene.left.map((name) => stepOf(name, scene.risk)), target };
}

/** The digest of what is left now. */
function digestNow(scene: Scene): string {
    const { steps, target } = planned(scene);
    const seen = { ...observed("tikv", {}).observation, pdClusterId: "7" };
    return approvalDigest(approvalPlan({ ...inputs, mode: scene.mode!, of }, steps, seen, target)!);
}

function approve(scene: Scene, digest: string, at = scene.ports.time): void {
    const { approvals } = scene.ports;
    scene.ports.approvals = { ...approvals, given: { ...approvals.given, [digest]: { by: "ana@laptop", at } } };
}

/** Restarts what is left. @returns the error, and what was done besides looks. */
async function run(
    scene: Scene,
    next?: (observation: Observation) => Move,
): Promise<{ error?: Error; done: string[] }> {
    const restart = (): Move => {
        const [target] = scene.left;
        return target === undefined
            ? { kind: "done" }
            : { kind: "act", action: restartOf(target), step: "pod-restarted", target };
    };
    const operation = {
        description: of,
        look: { components: ["tikv" as const], pd: ["stores" as const], status: [] },
        next: (observation: Observation) => next?.(observation) ?? restart(),
        approval: operationApproval({ ...inputs, approval: scene.mode }, of, () => planned(scene), scene.coversEnd),
    };
    const error = await runOperation(operation, scene.ports).then(
        () => undefined,
        (failure: Error) => failure,
    );
    const quiet = /^(look|info (?!.*approv)|note (?!wait roll|no wait))/;
    return { error, done: scene.ports.done.filter((one) => !quiet.test(one)) };
}

const acts = (done: string[]) => done.filter((one) => /^(lock|release|take consent|do )/.test(one));

describe("a run whose steps need consent", () => {
    it("waits without the lock until somebody approves the plan, and takes the consent under the lock before it acts", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        const digest = digestNow(scene);
        scene.meanwhile = (pauses) => {
            assert.ok(scene.ports.done.includes("do delete-pod") || !scene.ports.done.includes("lock"), "no lock");
            if (pauses === 3) {
                assert.equal(scene.ports.waitsFor, digest, "the Lease says what it waits for");
                approve(scene, digest);
            }
        };
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.deepEqual(done, [
            `info ${of} waits for approval: \`npx pulumi-tidb approve basic ${digest} --namespace tidb\` lets through: restart ${pod(2)}`,
            `note wait ${of}: restart ${pod(2)}`,
            "lock",
            "take consent",
            `info ana@laptop has approved plan ${digest}: restart ${pod(2)}`,
            "note no wait",
            "do delete-pod",
            "release",
        ]);
        assert.deepEqual(scene.ports.approvals.given, {}, "it is used up");
        assert.deepEqual(Object.keys(scene.ports.approvals.used ?? {}), [digest], "and on record as used");
    });

    it("says that TiDB's upgrade keeps the DDL statements of users paused meanwhile", async () => {
        const smoothUpgrade = { begunAt: now, from: "v8.5.3", to: "v8.5.4" };
        const scene = sceneOf({ observe: { records: { ...evicting(3), smoothUpgrade } } }, { left: [pod(2)] });
        const digest = digestNow(scene);
        scene.meanwhile = () => approve(scene, digest);
        const { done } = await run(scene);
        const [asks] = done.filter((one) => one.includes("waits for approval"));
        repeats(asks, "restart basic-tikv-2", "DDL statements");
    });

    it("uses a consent although the record of used ones cannot be read, does not write over that, and says so", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        approve(scene, digestNow(scene));
        scene.ports.approvals = { ...scene.ports.approvals, usedProblem: "annotation x is invalid JSON" };
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.equal(scene.ports.approvals.used, undefined);
        assert.ok(
            done.some((line) =>
                /^warn that the consent to .* is not on record: annotation x is invalid JSON/.test(line),
            ),
            done.join("\n"),
        );
    });

    it("says while it waits which consents cannot be read, each once", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        scene.ports.approvals = { ...scene.ports.approvals, givenProblem: "annotation x holds []" };
        let looks = 0;
        scene.meanwhile = () => {
            if (++looks === 60) {
                approve(scene, digestNow(scene));
            }
        };
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.equal(done.filter((line) => line === "warn annotation x holds []").length, 1, done.join("\n"));
    });

    it("uses no consent while nobody can tell whether the template was edited, and says what to do", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        approve(scene, digestNow(scene));
        const firstProblems = { tikv: "annotation x is invalid JSON. `kubectl …` removes it" };
        scene.ports.approvals = { ...scene.ports.approvals, firstProblems };
        const { error, done } = await run(scene);
        assert.equal(
            error?.message,
            `approval: ${of}: annotation x is invalid JSON. \`kubectl …\` removes it. Next: do that, then run \`pulumi up\` again. [approval-record-unreadable]`,
        );
        assert.deepEqual(acts(done), []);
        assert.equal(scene.ports.approvals.firstRevisions, undefined, "nothing is written over it");
        scene.ports.approvals = { ...scene.ports.approvals, firstProblems: { pd: "annotation of another member" } };
        assert.equal((await run(scene)).error, undefined);
    });

    it("does not go on with a consent that was withdrawn before it was taken, although an earlier step had the same goal", async () => {
        const scene = sceneOf();
        approve(scene, digestNow(scene));
        const { tryLock } = scene.ports;
        let takes = 0;
        scene.ports.tryLock = async (...given) => {
            const answer = await tryLock(...given);
            if (!("lock" in answer)) {
                return answer;
            }
            const takeConsent: typeof answer.lock.takeConsent = (digests, goals, used, needs) => {
                takes += 1;
                if (takes === 1) {
                    return answer.lock.takeConsent(digests, goals, used, needs);
                }
                assert.equal(needs, digestNow(scene), "the consent must still be there");
                scene.ports.approvals = { ...scene.ports.approvals, given: {} };
                return Promise.reject(new StaleDecision("the Lease has changed"));
            };
            return { lock: { ...answer.lock, takeConsent } };
        };
        let isSecond = false;
        scene.meanwhile = () => {
            if (!isSecond && scene.left.length === 1) {
                isSecond = true;
                approve(scene, digestNow(scene));
            }
        };
        const { error, done } = await run(scene);
        isFailure(error, "approval-timed-out", { target: of, names: `restart ${pod(1)}` });
        assert.equal(done.filter((one) => one === "do delete-pod").length, 1);
        assert.equal(takes, 2);
    });

    it("uses a consent that was given before", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        approve(scene, digestNow(scene));
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.deepEqual(acts(done), ["lock", "take consent", "do delete-pod", "release"]);
    });

    it("needs a new consent for each step with `step`, and gives the lock back in between", async () => {
        const scene = sceneOf();
        const digests: string[] = [];
        scene.meanwhile = () => {
            digests.push(digestNow(scene));
            approve(scene, digestNow(scene));
        };
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        const once = ["lock", "take consent", "do delete-pod", "release"];
        assert.deepEqual(acts(done), [...once, ...once]);
        assert.equal(new Set(digests).size, 2);
    });

    it("asks for the step that it is about to take, also if the plan has another one first", async () => {
        const scene = sceneOf();
        approve(scene, digestNow(scene));
        const action = restartOf(pod(1));
        const { error, done } = await run(scene, () => ({
            kind: "act",
            action,
            step: "pod-restarted",
            target: pod(1),
        }));
        isFailure(error, "approval-timed-out", { target: of, names: `restart ${pod(1)}` });
        assert.deepEqual(acts(done), []);
    });

    it("needs one consent for all steps with `member`", async () => {
        const scene = sceneOf({}, { mode: "member" });
        approve(scene, digestNow(scene));
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.deepEqual(acts(done), ["lock", "take consent", "do delete-pod", "do delete-pod", "release"]);
    });

    it("asks again with `member` if a step gets a risk after the consent, and does not ask again for the same risk", async () => {
        for (const riskBefore of [undefined, "the only store"]) {
            const scene = sceneOf({}, { mode: "member", risk: riskBefore });
            approve(scene, digestNow(scene));
            const { perform } = scene.ports;
            scene.ports.perform = async (action) => {
                await perform(action);
                scene.risk = "the only store";
            };
            const { error, done } = await run(scene);
            const isNew = riskBefore === undefined;
            if (isNew) {
                isFailure(error, "approval-timed-out", { target: of, names: `restart ${pod(1)}` });
            } else {
                assert.equal(error, undefined);
            }
            assert.equal(acts(done).filter((one) => one === "do delete-pod").length, isNew ? 1 : 2);
        }
    });

    it("does not accept a consent to a plan that changed before it was given, and says the new digest", async () => {
        const scene = sceneOf({}, { mode: "member" });
        const old = digestNow(scene);
        scene.meanwhile = (pauses) => {
            if (pauses === 1) {
                scene.left = [pod(3), pod(2), pod(1)];
                approve(scene, old);
            } else if (pauses === 60) {
                assert.ok(!scene.ports.done.includes("lock"));
                assert.notEqual(scene.ports.waitsFor, old);
                approve(scene, scene.ports.waitsFor!);
            }
        };
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.equal(acts(done).filter((one) => one === "do delete-pod").length, 3);
        const what = `now with restart ${pod(3)}`;
        assert.ok(
            done.some((one) =>
                one.includes(`the plan has changed (${what}), and ${old} does not let it through; ${of} waits`),
            ),
        );
        assert.ok(
            done.some((one) => one.startsWith("note wait") && one.endsWith(` (changed: ${what})`)),
            "status says it, too",
        );
        assert.deepEqual(Object.keys(scene.ports.approvals.given), [old], "the old one is not used");
    });

    it("takes a consent to stores side by side for one to each of them alone, and not the other way round", async () => {
        for (const [before, after] of [
            ["restarts beside basic-tikv-1", undefined],
            [undefined, "restarts beside basic-tikv-1"],
        ]) {
            const scene = sceneOf({}, { mode: "member", risk: before });
            approve(scene, digestNow(scene));
            const { perform } = scene.ports;
            scene.ports.perform = async (action) => {
                await perform(action);
                scene.risk = after;
            };
            const { error, done } = await run(scene);
            const isAsked = before === undefined;
            if (isAsked) {
                isFailure(error, "approval-timed-out", { target: of });
            } else {
                assert.equal(error, undefined);
            }
            assert.equal(done.filter((one) => one === "do delete-pod").length, isAsked ? 1 : 2);
        }
    });

    it("notices that the plan changed while it waited for the lock", async () => {
        const scene = sceneOf(
            { heldBy: { holder: "ben@build", until: now + 5_000 } },
            { mode: "member", left: [pod(2)] },
        );
        approve(scene, digestNow(scene));
        scene.meanwhile = (pauses) => {
            if (pauses === 1) {
                scene.left = [pod(3), pod(2)];
            }
        };
        const { error, done } = await run(scene);
        isFailure(error, "approval-timed-out", { target: of, names: `restart ${pod(3)}` });
        assert.deepEqual(acts(done), ["lock", "release"], "the lock is given back without an action");
    });

    it("does not let a pod through twice: what came back on another template was not consented to", async () => {
        const scene = sceneOf({}, { mode: "member", left: [pod(2)] });
        approve(scene, digestNow(scene));
        const { perform, look } = scene.ports;
        let created = 0;
        scene.ports.perform = async (action) => {
            await perform(action);
            created += 1;
            scene.left = [pod(2)];
        };
        scene.ports.look = async (...given) => {
            const seen = await look(...given);
            const tikv = seen.members.tikv!;
            const pods = tikv.pods.map((one) => (one.name === pod(2) ? { ...one, uid: `new ${created}` } : one));
            return { ...seen, members: { tikv: { ...tikv, pods } } };
        };
        const { error, done } = await run(scene);
        isFailure(error, "approval-timed-out", { target: of });
        assert.deepEqual(acts(done), ["lock", "take consent", "do delete-pod", "release"]);
    });

    it("gives up after an hour, and names the next thing to do", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        const { error, done } = await run(scene);
        assert.equal(
            error?.message,
            `approval: ${of}: nobody has approved it for an hour: restart ${pod(2)}. Next: run \`npx pulumi-tidb approve basic ${digestNow(scene)} --namespace tidb\`, then \`pulumi up\`, which continues from here as long as the plan is the same. [approval-timed-out]`,
        );
        assert.ok(scene.ports.time - now >= 3_600_000);
        assert.deepEqual(acts(done), []);
        assert.equal(done.at(-1), "note no wait");
    });

    it("reminds every 30 s of what it waits for, and notes it on the Lease as often", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        scene.meanwhile = () => {
            if (scene.ports.time - now > 160_000) {
                approve(scene, digestNow(scene));
            }
        };
        await run(scene);
        const lines = scene.ports.done.filter((one) => one.startsWith("note waiting for approval of"));
        assert.equal(lines.length, 5, `the first line says it, then every 30 s: ${lines.join("\n")}`);
        repeats(lines[0], "(30 s)", "pulumi-tidb approve basic ", "pulumi-tidb stop basic --namespace tidb");
        assert.equal(scene.ports.done.filter((one) => one.startsWith("note wait ")).length, 6);
        repeats(lines[4], "(3 min)");
    });

    it("ends at once when it is asked to stop, also where only the end of the operation needs consent", async () => {
        for (const coversEnd of [false, true]) {
            const scene = sceneOf({ stopAfter: 0 }, { left: [pod(2)], coversEnd });
            const { error, done } = await run(scene, coversEnd ? () => ({ kind: "done" }) : undefined);
            isFailure(error, "stopped", { step: of, names: "ben@build" });
            assert.ok(scene.ports.time - now < 5_000);
            assert.deepEqual(acts(done), []);
        }
    });

    it("ends when Pulumi has gone", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        scene.meanwhile = () => Object.assign(scene.ports.progress, { abandoned: true });
        const { error, done } = await run(scene);
        isFailure(error, "stopped", { step: of });
        assert.deepEqual(acts(done), []);
    });

    it("waits on while the API server is silent, and acts on what it says afterwards", async () => {
        const scene = sceneOf({ unreachableFrom: { look: 3, milliseconds: 120_000 } }, { left: [pod(2)] });
        scene.meanwhile = (pauses) => {
            if (pauses === 40) {
                approve(scene, digestNow(scene));
            }
        };
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.deepEqual(acts(done), ["lock", "take consent", "do delete-pod", "release"]);
    });

    it("fails without an action if the API server stays silent", async () => {
        const scene = sceneOf({ unreachableFrom: { look: 3, milliseconds: Infinity } }, { left: [pod(2)] });
        const { error, done } = await run(scene);
        assert.ok(error instanceof KubernetesApiError || /did not answer/.test(String(error)));
        assert.deepEqual(acts(done), []);
    });

    it("finishes the step that a killed run had begun with consent, and asks for the next one", async () => {
        const scene = sceneOf({ observe: { records: evicting(2) } });
        const { steps, target } = planned(scene);
        const seen = { ...observed("tikv", {}).observation, pdClusterId: "7" };
        const goal = goalOf(approvalPlan({ ...inputs, mode: "step", of }, steps, seen, target)!);
        scene.ports.approvals = { given: {}, goals: { [of]: goal } };
        const { error, done } = await run(scene);
        isFailure(error, "approval-timed-out", { target: of, names: `restart ${pod(1)}` });
        assert.ok(done.indexOf("do delete-pod") < done.indexOf("release"));
        assert.equal(done.filter((one) => one === "do delete-pod").length, 1);
    });

    it("ends an eviction that was begun without consent before it waits: no leader is kept away", async () => {
        const scene = sceneOf({ observe: { records: evicting(2) } });
        const { error, done } = await run(scene);
        isFailure(error, "approval-timed-out", { target: of, names: `restart ${pod(2)}` });
        assert.ok(done.includes("do end-eviction"));
        assert.ok(done.indexOf("do end-eviction") < done.findIndex((one) => one.startsWith("note wait")));
        assert.ok(!done.includes("do delete-pod"));
    });

    it("needs none to end an eviction and to keep records", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        const free: Action[] = [
            { do: "end-eviction", storeId: 12, pod: pod(2) },
            { do: "note-version", version: "v8.5.3", claims: [] },
        ];
        const moves = free.map((action): Move => ({ kind: "act", action, step: "left-behind", target: "basic-tikv" }));
        const end: Move = { kind: "done" };
        const taken = () => scene.ports.done.filter((one) => one.startsWith("do ")).length;
        const { error, done } = await run(scene, () => moves[taken()] ?? end);
        assert.equal(error, undefined);
        assert.deepEqual(acts(done), ["lock", "do end-eviction", "do note-version", "release"]);
    });

    it("asks before its end if what follows carries out its steps, as a smaller number of replicas does", async () => {
        const scene = sceneOf({}, { coversEnd: true });
        scene.meanwhile = () => approve(scene, scene.ports.waitsFor!);
        const { error, done } = await run(scene, () => ({ kind: "done" }));
        assert.equal(error, undefined);
        assert.equal(done.filter((one) => one === "take consent").length, 2, "once for each step");
    });

    it("asks for the plan's own steps before a gate lowers the number of replicas itself", async () => {
        const scene = sceneOf({}, { coversEnd: true, left: [pod(2)] });
        const planned = digestNow(scene);
        const asked = new Set<string>();
        scene.meanwhile = () => {
            asked.add(scene.ports.waitsFor!);
            approve(scene, scene.ports.waitsFor!);
        };
        const from = { name: "basic-tikv", uid: "1", replicas: 3 };
        const lowers: Move = {
            kind: "act",
            action: { do: "set-replicas", from, replicas: 2 },
            step: "set-replicas",
            target: "basic-tikv",
        };
        const { error, done } = await run(scene, () =>
            scene.ports.done.includes("do set-replicas") ? { kind: "done" } : lowers,
        );
        assert.equal(error, undefined);
        assert.deepEqual(
            [[...asked], acts(done).filter((one) => /consent|set-replicas/.test(one))],
            [[planned], ["take consent", "do set-replicas"]],
        );
    });

    it("needs none without `operations.approval`", async () => {
        const { error, done } = await run(sceneOf({}, { mode: undefined }));
        assert.equal(error, undefined);
        assert.deepEqual(acts(done), ["lock", "do delete-pod", "do delete-pod", "release"]);
    });

    it("goes on if the Lease cannot be told what it waits for, and warns of it", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        scene.ports.noteApprovalWait = () => Promise.reject(new Error("the API server says 403"));
        scene.meanwhile = () => approve(scene, digestNow(scene));
        const { error, done } = await run(scene);
        assert.equal(error, undefined);
        assert.ok(done.includes("warn the Lease does not say what this run waits for: the API server says 403"));
    });

    it("notes each step that it waits for, with its risk, for those who consent without a digest", async () => {
        const scene = sceneOf({}, { left: [pod(2)], risk: "it is the last" });
        const steps: unknown[] = [];
        scene.ports.noteApprovalWait = (_of, wait) => Promise.resolve(void (wait && steps.push(wait.steps)));
        scene.meanwhile = () => approve(scene, digestNow(scene));
        await run(scene);
        assert.deepEqual(steps[0], [`restart ${pod(2)}; risk: it is the last`]);
    });

    it("does not count a consent that is older than a week", async () => {
        const scene = sceneOf({}, { left: [pod(2)] });
        approve(scene, digestNow(scene), now - 7 * 86_400_000);
        const { error } = await run(scene);
        isFailure(error, "approval-timed-out", { target: of });
    });
});
