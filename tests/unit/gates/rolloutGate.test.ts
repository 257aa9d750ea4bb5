import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createGate } from "../../../provider/gates/gate";
import { withDrains } from "../../../provider/gates/drain";
import { glance, lookForRollout, lookForRolloutPlan } from "../../../provider/gates/looks";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { describePlan } from "../../../provider/lifecycle/walks/describePlan";
import { claimOf, type Deviation, now } from "../../support/lifecycle/observations";
import type {
    ObservedMember,
    ObservedRevisions,
    ObservedStatefulSet,
} from "../../../provider/lifecycle/vocabulary/observation";
import { type Fact, known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import type { Settings } from "../../../provider/lifecycle/vocabulary/settings";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { changePorts, clusterWorld, type ClusterWorld, told as clusterTold, watchLocks } from "./clusterWorld";
import { warnedRisks } from "../../../provider/lifecycle/walks/warnedRisks";
import { codesOf, repeats } from "../../support/repeats";
import { stepsIn } from "../../support/gates/stepsIn";

const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };
const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60 };
const sizes = { pd: 3, tikv: 4, tidb: 2 };
const told = (component: keyof typeof sizes, more: object = {}) =>
    clusterTold({
        gate: "rollout",
        component,
        desiredReplicas: sizes[component],
        templateRevision: "new-template",
        policy,
        fixed,
        ...more,
    });
const outsOf = (inputs: Record<string, unknown>) => ({
    ...inputs,
    replicas: inputs.desiredReplicas,
    plan: [],
    deferred: "",
});
const rollout = (world: ClusterWorld) => createGate(rolloutGateDefinition, world);
const planned = async (world: ClusterWorld, news: Record<string, unknown>): Promise<string[]> =>
    (await rollout(world).check({}, news)).inputs.plan as string[];

describe("the plan of a TiKV rollout", () => {
    const stale = { stale: [3] };
    for (const [name, pd, pdTemplateRevision, isSettling] of [
        ["PD is given a new template in the same update", {}, "newer-template", true],
        ["PD's pods still run an older revision", { stale: [0] }, "new-template", true],
        [
            "PD runs an older one, and one of its pods is missing",
            { stale: [0], pods: { 1: undefined } },
            "new-template",
            true,
        ],
        ["PD stays as it is", {}, "new-template", false],
        ["a pod of PD only has to start", { pods: { 1: { ready: false } } }, "new-template", false],
        ["PD is another cluster's", { stale: [0] }, undefined, false],
        ["PD has no StatefulSet", undefined, "newer-template", false],
        ["PD is suspended", { suspended: true }, "newer-template", false],
    ] as const) {
        it(`${isSettling ? "has" : "does not have"} the minute in which PD settles if ${name}`, async () => {
            const live = { tikv: stale, tidb: {}, ...(pd ? { pd: { ...pd } as ClusterWorld["live"]["pd"] } : {}) };
            const world = clusterWorld({ live });
            const { plan } = await rollout(world).planOf({}, told("tikv", { pdTemplateRevision }));
            assert.deepEqual(stepsIn(plan), ["restart basic-tikv-3"]);
            const [item] = plan;
            assert.ok(item.is === "step");
            assert.equal(item.step.does[0].startsWith("wait ~70 s"), isSettling, item.step.does[0]);
            const looksAtPd = world.looks.some(({ components }) => components.includes("pd"));
            assert.equal(looksAtPd, pdTemplateRevision !== undefined);
        });
    }

    describe("tells from where it raises PD's limit if the same update sets PD's settings:", () => {
        const key = "schedule.leader-schedule-limit";
        const raised = { "leader-schedule-limit": { before: 4, to: 64, isSet: true } } as const;
        for (const [what, { settings, before, live = 4, records }, words] of [
            ["from the value that the settings' own step sets", { settings: { [key]: 8 } }, "from 8 to 64"],
            ["not at all if that is as high as the window", { settings: { [key]: 64 } }, undefined],
            ["not at all if that is 0", { settings: { [key]: 0 } }, undefined],
            ["from PD's own value if the program does not have it", { settings: {} }, "from 4 to 64"],
            [
                "from PD's own value if the last update had the program's: another user of PD has changed it, and it stays",
                { settings: { [key]: 8 }, before: { [key]: 8 } },
                "from 4 to 64",
            ],
            [
                "not at all if an earlier run had raised it: what is set then is not that run's any more",
                {
                    settings: { [key]: 8 },
                    live: 64,
                    records: { raisedLimits: { begunAt: now, pod: "basic-tikv-3", limits: raised } },
                },
                undefined,
            ],
        ] as [string, { settings: Settings; before?: Settings; live?: number; records?: object }, string?][]) {
            it(what, async () => {
                const limits = { "leader-schedule-limit": live };
                const world = clusterWorld({ live: { pd: {}, tikv: { ...stale, limits }, tidb: {} } });
                world.lease = { ...world.lease!, records: { ...noRecords(), ...records } };
                const configFiles = [{ key: "config-file", path: "" }];
                const olds = before ? { pdSettings: { settings: before, configFiles } } : {};
                const { inputs } = await rollout(world).check(
                    olds,
                    told("tikv", { pdSettings: { settings, configFiles } }),
                );
                const [step] = inputs.plan as string[];
                assert.equal(/raise PD's leader-schedule-limit ([^,]*)/.exec(step)?.[1], words, step);
            });
        }
    });

    it("has the versions as the reason of a restart", async () => {
        const image = "pingcap/tikv:v8.5.3";
        const world = clusterWorld({ live: { tikv: { ...stale, pods: { 3: { image } } } } });
        const [step] = await planned(world, told("tikv", { tag: "v8.5.4" }));
        repeats(step, "v8.5.3 to v8.5.4");
    });

    it("does not ask PD while no pod runs", async () => {
        const pods = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };
        const world = clusterWorld({ live: { tikv: { pods, pdSilent: true } } });
        const { plan } = await rollout(world).planOf({}, told("tikv"));
        assert.deepEqual(
            stepsIn(plan),
            [3, 2, 1, 0].map((ordinal) => `start basic-tikv-${ordinal}`),
        );
        assert.deepEqual(world.looks, [withDrains(glance("tikv"), undefined)]);
    });

    it("asks what the revisions are if a pod restarts: what is new in the newest, and where that decides, which is the wanted one", async () => {
        for (const [row, more, asked] of [
            [{}, {}, []],
            [stale, {}, ["for-words"]],
            [stale, { templateRevision: "taken back to" }, ["needed"]],
            [stale, { pdTemplateRevision: "of PD" }, ["for-words", "for-words"]],
        ] as const) {
            const world = clusterWorld({ live: { tikv: row, pd: {} } });
            await planned(world, told("tikv", more));
            assert.deepEqual(
                world.looks.flatMap(({ revisions = [] }) => revisions),
                asked,
            );
        }
    });

    describe("has its steps although what only makes words cannot be read", () => {
        const settings = { "schedule.leader-schedule-limit": 8 };
        const inputs = told("tikv", {
            pdTemplateRevision: "new-template",
            pdSettings: { settings, configFiles: [{ key: "config-file", path: "" }] },
        });
        const refusing = (isRefused: (look: LookOptions) => boolean, status: number | undefined) => {
            const world = clusterWorld({ live: { pd: {}, tikv: stale, tidb: {} } });
            changePorts(world, ({ look }) => ({
                look: (options, ...how) =>
                    isRefused(options)
                        ? Promise.reject(new KubernetesApiError("could not read ConfigMap basic-pd-1", status))
                        : look(options, ...how),
            }));
            return world;
        };
        for (const status of [403, 409, 429, 503, undefined]) {
            it(`the settings and pods of PD: ${status ?? "no answer"}`, async () => {
                const world = refusing(({ components }) => components.includes("pd"), status);
                const gate = rollout(world);
                const olds = outsOf(inputs);
                const { inputs: news } = await gate.check(olds, inputs);
                const [step, ...others] = news.plan as string[];
                repeats(step, "basic-tikv-3", "evict 500 leaders");
                assert.deepEqual([others, news.deferred, world.warnings], [[], "", []]);
                assert.deepEqual(await gate.diff("", olds, news), { changes: true });
            });
        }

        it("but not without what decides which pods restart", async () => {
            const world = refusing(({ revisions }) => revisions === "needed", 503);
            const olds = outsOf(inputs);
            const { inputs: news } = await rollout(world).check(olds, { ...inputs, templateRevision: "newer" });
            assert.deepEqual([news.plan, news.deferred], [[], "deferred: could not read ConfigMap basic-pd-1"]);
        });
    });

    it("says of a pod on an old revision in which fields the newest one differs, if that is known", async () => {
        const reason = async (revisions?: Fact<ObservedRevisions>) => {
            const world = clusterWorld({ live: { tikv: stale } });
            changePorts(world, ({ look }) => ({
                look: async (...how) => {
                    const seen = await look(...how);
                    const { tikv } = seen.members;
                    return tikv ? { ...seen, members: { ...seen.members, tikv: { ...tikv, revisions } } } : seen;
                },
            }));
            const [step] = await planned(world, told("tikv"));
            return /^restart basic-tikv-3 \((.*?)\):/.exec(step)?.[1];
        };
        const { pods } = (
            await clusterWorld({ live: { tikv: stale } })
                .open({} as never, "check")
                .then((ports) => ports.look(glance("tikv"), {}))
        ).members.tikv!;
        const of = (...fields: string[]) =>
            known({ byTemplate: {}, changes: { [pods[3].revision!]: fields } }, "the API server", now);
        assert.equal(await reason(), "old revision old");
        assert.equal(await reason(notKnown("the API server answered 503")), "old revision old");
        assert.equal(await reason(of()), "old revision old");
        assert.equal(await reason(of("spec.a")), "old revision old; the newest one differs in spec.a");
        const many = of("spec.a", "spec.b", "spec.c", "spec.d");
        assert.equal(await reason(many), "old revision old; the newest one differs in spec.a, spec.b and 2 more");
    });

    it("says that pods restart because the program has switched operations.rollout.online on, if that renames the ConfigMap", async () => {
        const settings = { "raftstore.apply-pool-size": 4 };
        const now = told("tikv", { config: { a: "1" }, settings, isNamedOnline: true, templateRevision: "renamed" });
        const before = outsOf({ ...now, settings: undefined });
        const online = "; switching operations.rollout.online on restarts pods once";
        for (const [what, olds, news, reason] of [
            ["it is new", before, now, `new template${online}`],
            ["with a new configuration", { ...before, config: {} }, now, `new template and configuration${online}`],
            [
                "after an update that was ended",
                before,
                { ...now, templateRevision: "new-template" },
                `old revision old${online}`,
            ],
            ["it was on", { ...before, settings: {} }, now, "new template"],
            ["it renames nothing", before, { ...now, isNamedOnline: undefined }, "new template"],
            ["what was before is not known", {}, now, "new template"],
        ] as const) {
            const { plan } = await rollout(clusterWorld({ live: { tikv: stale } })).planOf(olds, news);
            const step = describePlan(plan).find((line) => line.startsWith("restart basic-tikv-3 "));
            assert.equal(/\((.*?)\):/.exec(step!)?.[1], reason, what);
        }
    });

    it("says that pods restart because the program has switched configUpdateStrategy, as far as the state has it", async () => {
        const now = told("tikv", {
            config: { a: "1" },
            configUpdateStrategy: "RollingUpdate",
            templateRevision: "renamed",
        });
        const before = outsOf(now);
        const strategy = "; switching configUpdateStrategy from InPlace restarts pods once";
        for (const [olds, reason] of [
            [{ ...before, configUpdateStrategy: "InPlace" }, `new template${strategy}`],
            [before, "new template"],
            [{ ...before, configUpdateStrategy: undefined }, "new template"],
        ] as const) {
            const { plan } = await rollout(clusterWorld({ live: { tikv: stale } })).planOf(olds, now);
            const step = describePlan(plan).find((line) => line.startsWith("restart basic-tikv-3 "));
            assert.equal(/\((.*?)\):/.exec(step!)?.[1], reason);
        }
    });

    /** Kubernetes has these revisions of TiKV's template. */
    const hasRevisions = (world: ClusterWorld, byTemplate: Record<string, string>) =>
        changePorts(world, ({ look }) => ({
            look: async (options, ...how) => {
                const seen = await look(options, ...how);
                const { tikv } = seen.members;
                const revisions = known({ byTemplate, changes: {} }, "the API server", now);
                return tikv && options.revisions === "needed"
                    ? { ...seen, members: { ...seen.members, tikv: { ...tikv, revisions } } }
                    : seen;
            },
        }));

    it("restarts the pods of other templates than the one that the controller has not seen yet", async () => {
        const restarts = async (row: Deviation, byTemplate: Record<string, string>) => {
            const world = clusterWorld({ live: { tikv: { ...row, settled: false } } });
            hasRevisions(world, byTemplate);
            return stepsIn((await rollout(world).planOf({}, told("tikv"))).plan).filter(
                (step) => !step.startsWith("wait"),
            );
        };
        const all = [3, 2, 1, 0].map((ordinal) => `restart basic-tikv-${ordinal}`);
        assert.deepEqual(await restarts({}, {}), all, "new");
        const takenBack = { "new-template": "old" };
        assert.deepEqual(await restarts({ stale: [0, 1, 2] }, takenBack), ["restart basic-tikv-3"], "taken back");
        assert.deepEqual(
            await restarts({ stale: [0] }, { "new-template": "new" }),
            ["restart basic-tikv-0"],
            "the same",
        );
    });

    it("is held where a pod is scaled away on a node that does not answer, although nothing restarts", async () => {
        const silent = { ready: false, node: "node-1", container: notKnown("node-1 is silent") };
        const scaledIn = async (pod: object) => {
            const world = clusterWorld({ live: { tidb: { live: 3, pods: { 2: pod } } } });
            return describePlan((await rollout(world).planOf({}, told("tidb", { desiredReplicas: 2 }))).plan);
        };
        const [step, held, ...others] = await scaledIn(silent);
        repeats(step, "wait basic-tidb-2 (is scaled away)");
        repeats(held, "held at pod-scaled-away of basic-tidb-2");
        assert.deepEqual([others, await scaledIn({})], [[], []]);
    });

    it("remarks that it leaves out the pods that run the wanted template already", async () => {
        const world = clusterWorld({ live: { tikv: { stale: [0, 1, 3] } } });
        hasRevisions(world, { "taken back to": "old" });
        const { plan, remarks } = await rollout(world).planOf({}, told("tikv", { templateRevision: "taken back to" }));
        assert.deepEqual(stepsIn(plan), ["restart basic-tikv-2"]);
        assert.deepEqual(codesOf(remarks), ["clients-notice", "pods-left-out"]);
        const same = clusterWorld({ live: { tikv: stale } });
        assert.deepEqual(codesOf((await rollout(same).planOf({}, told("tikv"))).remarks), ["clients-notice"]);
    });

    it("warns of fields that kubectl wrote into the pod template and the next change of the StatefulSet takes out", async () => {
        const warningsWith = async (isTakenOut: boolean, news: object = {}) => {
            const world = clusterWorld({ live: { tidb: {} } });
            changePorts(world, ({ look }) => ({
                look: async (...how) => {
                    const seen = await look(...how);
                    const tidb = seen.members.tidb as ObservedMember;
                    const templateWriters = [{ manager: "kubectl-patch", ...(isTakenOut ? { isTakenOut } : {}) }];
                    const statefulSet = { ...(tidb.statefulSet as ObservedStatefulSet), templateWriters };
                    return { ...seen, members: { ...seen.members, tidb: { ...tidb, statefulSet } } };
                },
            }));
            return rollout(world).planOf(outsOf(told("tidb")), told("tidb", news));
        };
        for (const news of [{}, { desiredReplicas: 3 }]) {
            const { warnings, memberRisks } = await warningsWith(true, news);
            assert.deepEqual(
                [codesOf(warnings), warnedRisks([{ memberRisks }], "tidb")],
                [["foreign-fields"], ["pods of basic-tidb may restart without a step"]],
            );
        }
        const { warnings, memberRisks } = await warningsWith(false, { desiredReplicas: 3 });
        assert.deepEqual([warnings, memberRisks], [[], []]);
    });

    it("asks everything that a rollout is decided from if pods run", async () => {
        const world = clusterWorld({ live: { tikv: stale } });
        await planned(world, told("tikv"));
        assert.deepEqual(world.looks, [
            withDrains(glance("tikv"), undefined),
            lookForRolloutPlan({ component: "tikv", policy: defaultPolicy }, false),
        ]);
        assert.deepEqual(
            [...lookForRollout("tikv").pd, "leader-limits"],
            world.looks[1].pd,
            "and what the plan says that it changes",
        );
        const off = { component: "tikv", policy: { ...defaultPolicy, evictionWindow: false } } as const;
        assert.deepEqual(lookForRolloutPlan(off, false), {
            ...lookForRollout("tikv"),
            ...{ revisions: "for-words", backups: true },
        });
    });

    it("has the sure steps while PD is silent: restarts and the wait for the controller, but no pod that may start by itself", async () => {
        const live = { tikv: { settled: false, pods: { 1: { ready: false } }, pdSilent: true } };
        assert.deepEqual(await planned(clusterWorld({ live }), told("tikv")), [
            "wait basic-tikv (the StatefulSet controller has not seen the newest template): once PD answers",
        ]);
        const restarts = { tikv: { stale: [2], pods: { 1: { ready: false } }, pdSilent: true } };
        assert.deepEqual(await planned(clusterWorld({ live: restarts }), told("tikv")), [
            "restart basic-tikv-2 (old revision old): once PD answers",
        ]);
    });

    it("says nothing about a configuration that the program no longer has", async () => {
        const olds = outsOf(told("tikv", { config: { "storage.engine": "1" } }));
        const world = clusterWorld();
        const { inputs } = await rollout(world).check(olds, told("tikv"));
        assert.deepEqual([inputs.plan, world.warnings], [[], []]);
    });
});

describe("a rollout", () => {
    it("waits in a first deployment only for what later members need: TiKV waits for PD, PD for one of three members", async () => {
        const live = { pd: { unhealthy: [2], pods: { 2: { ready: false } } } };
        const world = clusterWorld({ live });
        const began = world.time;
        await rollout(world).create(outsOf(told("pd")));
        assert.equal(world.time, began);
        await assert.rejects(rollout(world).update("", {}, outsOf(told("pd"))), /basic-pd-2/);
    });

    it("takes the lock with a purpose that names what it does, and observes what it needs", async () => {
        const world = clusterWorld({ live: { tidb: { stale: [1] } } });
        const said = watchLocks(world);
        world.changes = () => (world.live.tidb = {});
        await rollout(world).update("", {}, outsOf(told("tidb")));
        assert.deepEqual(said, ["roll out basic-tidb"]);
        assert.ok(world.done.includes("delete-pod"));
        assert.ok(world.looks.every((look) => JSON.stringify(look) === JSON.stringify(lookForRollout("tidb"))));
    });

    describe("of a cluster whose claims have no record, because an earlier build deployed it", () => {
        const world = (stale: number[] = []) => {
            const pods = Object.fromEntries([0, 1, 2].map((one) => [one, { image: "pingcap/pd:v8.5.3" }]));
            const claims = [0, 1, 2].map((ordinal) => claimOf("pd", ordinal));
            const made = clusterWorld({ live: { pd: { stale, pods, claims } } });
            made.changes = (action) => {
                if (action.do === "delete-pod") {
                    made.live.pd = { pods, claims };
                } else if (action.do === "note-version") {
                    const left = claims.filter(({ uid }) => !action.claims.some((claim) => claim.uid === uid));
                    made.live.pd = { ...made.live.pd, claims: left };
                }
            };
            return made;
        };
        const updated = async (made: ClusterWorld, news: Record<string, unknown>, olds = outsOf(told("pd"))) => {
            const { inputs } = await rollout(made).check(olds, news);
            await rollout(made).update("", olds, inputs);
            return made.done.filter((one) => /^(lock|release|[a-z]+-[a-z-]+)$/.test(one));
        };

        it("takes no lock and writes nothing if only `operations` changes: the preview shows no step", async () => {
            const news = told("pd", { policy: { ...policy, podReadyTimeoutSeconds: 120 } });
            assert.deepEqual(await updated(world(), news), []);
        });

        it("records them if it has a step, or continues an update that was interrupted", async () => {
            const olds = outsOf(told("pd", { templateRevision: "old-template" }));
            assert.deepEqual(await updated(world(), told("pd"), olds), ["lock", "note-version", "release"]);
            const steps = await updated(world([2]), told("pd"));
            assert.deepEqual(steps, ["lock", "note-version", "delete-pod", "release"]);
        });
    });
});

describe("a rollout whose StatefulSet somebody has deleted", () => {
    const gone = () => clusterWorld({ live: { pd: {}, tikv: {}, tidb: { suspended: true } } });

    it("warns that only a refresh creates it again, as a risk of the plan", async () => {
        const inputs = told("tidb");
        const { warnings, memberRisks } = await rollout(gone()).planOf(outsOf(inputs), inputs);
        repeats(warnings, "StatefulSet basic-tidb", "`pulumi up --refresh`");
        assert.deepEqual(memberRisks, [
            { words: "StatefulSet basic-tidb may not be created again", members: ["tidb"] },
        ]);
    });

    it("says nothing of one that this update is the first to create", async () => {
        const { warnings = [] } = await rollout(gone()).planOf({}, told("tidb"));
        assert.deepEqual(warnings, []);
    });
});
