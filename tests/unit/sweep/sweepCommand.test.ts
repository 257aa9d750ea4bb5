import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../../bin/pulumi-tidb";
import { sweep, type SweepOptions } from "../../../bin/sweepCommand";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { Progress } from "../../../provider/cluster/gatePorts";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import type { ObservedSettings } from "../../../provider/lifecycle/vocabulary/settings";
import { readOnlyWorld } from "../../../provider/gates/readOnlyWorld";
import type { ClusterSweep } from "../../../sweep/clusterSweep";
import { evicting, now } from "../../support/lifecycle/observations";
import { pinnedWords } from "../../support/pinned";
import { changePorts, type ClusterWorld, clusterWorld, leaseOf } from "../gates/clusterWorld";

const dead = { holder: "ana@laptop", operation: "roll out basic-tikv", renewedAt: now, durationSeconds: 15 };

const page = readFileSync(join(__dirname, "../../../docs/stop-and-resume.md"), "utf8");

const pool = "raftstore.apply-pool-size";
/** What is seen of the stores' settings. */
const settingsOf = (sizes: readonly (number | null)[]): ObservedSettings => ({
    component: "tikv",
    file: known({ [pool]: 2 }, "the API server", now),
    live: Object.fromEntries(
        sizes.map((size, ordinal) => [
            `basic-tikv-${ordinal}`,
            size === null
                ? notKnown(`basic-tikv-${ordinal} does not answer`)
                : known({ [pool]: size }, `basic-tikv-${ordinal}`, now),
        ]),
    ),
});
/** A run was killed while it set the pool size from 2 to 4; one store had 7. */
const setting = (key = pool) =>
    leaseOf({
        records: {
            ...noRecords(),
            settings: {
                tikv: {
                    begunAt: now - 60_000,
                    keys: { [key]: { to: 4, before: { most: 2, except: { "basic-tikv-2": 7 } } } },
                },
            },
        },
    });
const calm = { pd: { locks: { tasks: [] } }, tikv: {}, tidb: {} };

interface Run {
    world?: Partial<ClusterWorld>;
    options?: Partial<SweepOptions>;
    /** Milliseconds after which the holder renews its lock. */
    renewsAfter?: number;
    /** Whether PD's address is not known. */
    withoutPd?: boolean;
    /** Whether only the Lease exists. */
    onlyLease?: boolean;
    /** What the stores say of their settings; null if one does not answer. Their ConfigMap says 2. */
    poolSizes?: (number | null)[];
    /** The cluster id of the PD that answers. */
    pdClusterId?: string;
    isInterrupted?: (world: ClusterWorld) => boolean;
}

/** A cluster in which a run was killed while it evicted store 11; somebody else evicts store 12. */
function killed(more: Partial<ClusterWorld> = {}): ClusterWorld {
    const world = clusterWorld({
        live: { pd: { evicted: [11, 12], locks: { tasks: [] } }, tikv: {}, tidb: {} },
        lease: leaseOf({ records: evicting(1), lock: dead }),
        changes: (action) => {
            if (action.do === "end-eviction") {
                world.live.pd = { ...world.live.pd, evicted: [12] };
            }
        },
        ...more,
    });
    return world;
}

async function run({
    world: more,
    options,
    renewsAfter = Infinity,
    withoutPd,
    onlyLease,
    poolSizes,
    pdClusterId,
    isInterrupted,
}: Run = {}) {
    const world = killed(more);
    const sizes = poolSizes ?? [];
    changePorts(world, ({ sleep, tryLock, look, perform }) => ({
        look: async (asked) => {
            const seen = { ...(await look(asked)), ...(asked.settings ? { settings: settingsOf(sizes) } : {}) };
            const clusterId = known(pdClusterId ?? "", "PD", now);
            return pdClusterId === undefined ? seen : { ...seen, pd: { ...seen.pd, clusterId } };
        },
        perform: (action) => {
            if (action.do === "set-settings") {
                world.done.push(action.do);
                action.sets.forEach(({ server, settings }) => (sizes[Number(server.at(-1))] = Number(settings[pool])));
                return Promise.resolve();
            }
            return perform(action);
        },
        sleep: async (milliseconds) => {
            await sleep(milliseconds);
            const { lock } = world.lease!;
            if (lock.holder !== undefined && world.time - now >= renewsAfter) {
                world.lease = { ...world.lease!, lock: { ...lock, renewedAt: world.time } };
            }
        },
        tryLock: async (lease, description) => {
            const answer = await tryLock(lease, description);
            if (!("lock" in answer)) {
                return answer;
            }
            const release = async () => {
                await answer.lock.release();
                world.lease = { ...world.lease!, lock: {} };
            };
            return { lock: { ...answer.lock, release } };
        },
    }));
    const said: string[] = [];
    const note = (message: string) => void said.push(message);
    const progress: Progress = { info: note, note, warn: ({ message }) => note(message), status: () => undefined };
    const given: SweepOptions = { namespace: "tidb", output: "json", ...options };
    const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
    const result = await sweep(
        "basic",
        given,
        "npx pulumi-tidb sweep basic --namespace tidb --yes",
        () => isInterrupted?.(world) ?? false,
        {
            world: given.yes ? world : readOnlyWorld(world, "effect"),
            kubernetes: { context: "prod", server: "https://k8s.example:6443" },
            schedules: () => Promise.resolve({ known: true as const, value: [] }),
            jobs: () => Promise.reject(new Error("no Jobs are read")),
            jobPods: () => Promise.reject(new Error("a sweep diagnoses nothing")),
            deployed: () =>
                Promise.resolve({
                    id,
                    pd: withoutPd || onlyLease ? undefined : { ...id, tls: false },
                    tls: false,
                    components: onlyLease ? [] : ["pd", "tikv", "tidb"],
                    discovery: undefined,
                }),
        },
        progress,
    );
    const document = result.output.startsWith("{") ? (JSON.parse(result.output) as ClusterSweep) : undefined;
    const swept = document?.leftovers.map(({ kind, target, verdict, isRemoved }) =>
        [kind, target, verdict, isRemoved].join(" "),
    );
    return { ...result, document, swept, world, said };
}

const inShort = ({ done }: ClusterWorld) => done.filter((one) => /^(lock|release|records|[a-z]+-[a-z-]+)$/.test(one));

describe("pulumi-tidb sweep", () => {
    it("shows what a killed run left, once it was watched for as long as a lock lasts, and changes nothing", async () => {
        const { swept, exitCode, errors, world, said, document } = await run();
        assert.deepEqual(swept, [
            "eviction store 11 (basic-tikv-1) remove ",
            "eviction store 12 (basic-tikv-2) keep ",
            "lock Lease basic-pulumi-tidb remove ",
        ]);
        assert.deepEqual([exitCode, errors, world.done], [0, "", []]);
        assert.equal(world.time - now, 15_000);
        assert.deepEqual(said, ["watching whether ana@laptop (roll out basic-tikv) still renews the lock"]);
        assert.deepEqual([document?.name, document?.namespace, document?.failure], ["basic", "tidb", null]);
        assert.equal((await run({ options: { detailedExitcode: true } })).exitCode, 2);
    });

    it("removes with --yes what is ours, under the lock, and says what is gone", async () => {
        const { swept, exitCode, errors, world } = await run({ options: { yes: true, detailedExitcode: true } });
        assert.deepEqual(swept, [
            "eviction store 11 (basic-tikv-1) remove true",
            "eviction store 12 (basic-tikv-2) keep ",
            "lock Lease basic-pulumi-tidb remove true",
        ]);
        assert.deepEqual([exitCode, errors], [0, ""]);
        const [first, ...rest] = inShort(world);
        assert.deepEqual([first, rest.at(-1)], ["lock", "release"], "the lock comes first and goes last");
        assert.deepEqual(
            rest.filter((one) => one.includes("eviction")),
            ["end-eviction", "forget-eviction"],
        );
        assert.deepEqual(world.lease?.records, noRecords());
        assert.deepEqual(world.lease?.lock, {});
    });

    it("does not take somebody else's later eviction of the same store for what it removed", async () => {
        const lease = leaseOf({ records: evicting(1, { endedAt: now - 1_000, endedUnder: "7" }) });
        const { swept, exitCode } = await run({ world: { lease }, options: { yes: true } });
        assert.deepEqual(
            [swept?.slice(0, 2), exitCode],
            [["eviction store 11 (basic-tikv-1) remove true", "eviction store 11 (basic-tikv-1) keep "], 0],
        );
    });

    it("shows settings that a killed run was setting, and gives each server back with --yes what it had", async () => {
        const world = { lease: setting(), live: calm };
        const shown = await run({ world, poolSizes: [4, 2, 4, 2] });
        assert.deepEqual(shown.swept, ["settings basic-tikv remove "]);
        assert.deepEqual([shown.exitCode, shown.world.done], [0, []]);

        const poolSizes = [4, 2, 4, 2];
        const swept = await run({ world, poolSizes, options: { yes: true } });
        assert.deepEqual([swept.swept, swept.errors, swept.exitCode], [["settings basic-tikv remove true"], "", 0]);
        assert.deepEqual([poolSizes, swept.world.lease?.records], [[2, 2, 7, 2], noRecords()]);
        const [first, ...rest] = inShort(swept.world);
        assert.deepEqual([first, rest.at(-1)], ["lock", "release"]);
    });

    it("keeps the record of settings of a server that does not answer, and says so; the others have theirs back", async () => {
        const poolSizes = [4, null, 4, 2];
        const { swept, errors, exitCode, world } = await run({
            world: { lease: setting(), live: calm },
            poolSizes,
            options: { yes: true },
        });
        assert.deepEqual([swept, exitCode, poolSizes], [["settings basic-tikv remove false"], 1, [2, null, 7, 2]]);
        assert.ok(errors.includes("basic-tikv-1 does not answer"), errors);
        assert.notEqual(world.lease?.records.settings, undefined);
    });

    it("keeps settings that only a later version can set, and their record, whatever else it removes", async () => {
        const { settings } = setting("raftstore.invented-later").records;
        const lease = leaseOf({ records: { ...evicting(1), settings } });
        const { swept, world } = await run({ world: { lease }, poolSizes: [2, 2, 2, 2], options: { yes: true } });
        assert.deepEqual(
            swept?.filter((one) => !one.startsWith("eviction store 12")),
            ["eviction store 11 (basic-tikv-1) remove true", "settings basic-tikv keep "],
        );
        assert.deepEqual(world.lease?.records, { ...noRecords(), settings });
    });

    it("takes no lock if nothing may be removed", async () => {
        const { world, exitCode } = await run({
            world: { live: { pd: { evicted: [12] }, tikv: {}, tidb: {} }, lease: leaseOf() },
            options: { yes: true, detailedExitcode: true },
        });
        assert.deepEqual(
            [world.done, exitCode, world.time],
            [[], 0, now],
            "somebody else's eviction is not ours to count",
        );
    });

    for (const options of [{}, { yes: true }]) {
        it(`refuses a run that renews its lock, ${options.yes ? "with" : "without"} --yes, and says who it is and how it ends`, async () => {
            const { output, errors, exitCode, world } = await run({ options, renewsAfter: 3_000 });
            assert.deepEqual([output, exitCode, world.done], ["", 1, []]);
            assert.ok(errors.endsWith(" [cluster-busy]\n"), errors);
            assert.ok(page.includes(`\n${errors}`), errors);
        });
    }

    it("removes nothing if another run takes the lock meanwhile, or another cluster holds PD's", async () => {
        const { errors, exitCode, swept, world } = await run({
            world: { heldUntil: Infinity },
            options: { yes: true },
        });
        assert.equal(exitCode, 1);
        assert.ok(errors.includes("ben@build"), errors);
        assert.deepEqual(
            swept?.map((one) => one.split(" ").at(-1)),
            ["false", "", "false"],
        );
        assert.deepEqual(inShort(world), []);
    });

    it("removes nothing while PD does not answer, and ends with 3 and the reason", async () => {
        const live = { pd: { pdSilent: true }, tikv: {}, tidb: {} };
        for (const yes of [false, true]) {
            const { exitCode, swept, world, document } = await run({ world: { live }, options: { yes } });
            assert.equal(exitCode, 3);
            assert.ok(document?.notKnown[0].endsWith(": PD answers 500"));
            assert.equal(swept?.[0], "eviction store 11 (basic-tikv-1) not known ");
            assert.deepEqual(world.done, []);
        }
    });

    it("does not ask a PD that nobody names, and says how to name it", async () => {
        const { exitCode, document, world } = await run({ withoutPd: true, options: { yes: true } });
        assert.deepEqual([exitCode, world.done, world.looks.every(({ pd }) => pd.length === 0)], [3, [], true]);
        assert.ok(document?.notKnown[0].endsWith("pass --pd-cluster"));
    });

    it("says of a cluster with nothing but its Lease that nothing is deployed yet", async () => {
        const { exitCode, document } = await run({ onlyLease: true });
        assert.equal(exitCode, 3);
        assert.equal(document?.notKnown.length, 1);
    });

    it("acts on no other PD than the cluster's own", async () => {
        const world = { lease: leaseOf({ records: evicting(1), pdClusterId: "7" }) };
        const { errors, exitCode, world: after } = await run({ world, options: { yes: true }, pdClusterId: "8" });
        assert.deepEqual([exitCode, after.done], [1, []]);
        assert.ok(errors.startsWith("error: same-pd: basic-pd: "), errors);
    });

    it("says what is still there if PD does not end an eviction", async () => {
        const changes = () => {
            throw new Error("PD answers 500");
        };
        const { errors, exitCode, swept, world } = await run({ world: { changes }, options: { yes: true } });
        assert.equal(exitCode, 1);
        assert.ok(errors.includes("PD answers 500") && errors.includes("store 11 (basic-tikv-1)"), errors);
        assert.equal(swept?.[0], "eviction store 11 (basic-tikv-1) remove false");
        assert.equal(inShort(world).at(-1), "release");
    });

    it("stops after Ctrl-C with the locks released, and a second sweep finishes", async () => {
        const isInterrupted = ({ done }: ClusterWorld) => done.includes("end-eviction");
        const first = await run({ options: { yes: true }, isInterrupted });
        assert.equal(first.exitCode, 1);
        assert.ok(first.errors.includes("store 11"), first.errors);
        assert.equal(inShort(first.world).at(-1), "release");
        const { live, lease } = first.world;
        const second = await run({ world: { live, lease }, options: { yes: true } });
        assert.equal(second.exitCode, 0);
        assert.deepEqual(second.world.lease?.records, noRecords());
    });

    it("ends with 1 if the API server does not answer", async () => {
        const failure = new KubernetesApiError("could not reach the API server", undefined);
        const away = await run({ world: { failure } });
        assert.deepEqual([away.output, away.exitCode], ["", 1]);
    });

    it("prints a text that says of each thing what it is, who left it, and what becomes of it", async () => {
        const { output } = await run({ options: { output: "text" } });
        assert.ok(page.includes(`\n\`\`\`\n${output}\`\`\`\n`), `${output}\nis not in docs/stop-and-resume.md`);
    });

    const yes = { yes: true };
    const words = (given: Run) => async () => {
        const { output, errors } = await run({ ...given, options: { output: "text", ...given.options } });
        return `${output}${errors}`;
    };
    const pdSilent = { world: { live: { pd: { pdSilent: true }, tikv: {}, tidb: {} } } };
    const refuses = () => {
        throw new Error("PD answers 500");
    };
    pinnedWords("sweep", {
        "a killed run left things behind": words({}),
        "what a killed run left behind is removed": words({ options: yes }),
        "nothing is left behind": words({ world: { live: calm, lease: leaseOf() } }),
        "settings were being set": words({ world: { lease: setting(), live: calm }, poolSizes: [4, 2, 4, 2] }),
        "settings were being set, and a server does not answer": words({
            ...{ world: { lease: setting(), live: calm }, poolSizes: [4, null, 4, 2], options: yes },
        }),
        "settings that only a later version can set": words({
            ...{ world: { lease: setting("raftstore.invented-later"), live: calm }, poolSizes: [2, 2, 2, 2] },
        }),
        "a run renews its lock": words({ renewsAfter: 3_000 }),
        "another run takes the lock meanwhile": words({ world: { heldUntil: Infinity }, options: yes }),
        "PD does not answer": words(pdSilent),
        "PD does not answer, and what is left is to be removed": words({ ...pdSilent, options: yes }),
        "PD's address is not known": words({ withoutPd: true }),
        "only the Lease exists": words({ onlyLease: true }),
        "another PD answers": words({
            ...{
                world: { lease: leaseOf({ records: evicting(1), pdClusterId: "7" }) },
                pdClusterId: "8",
                options: yes,
            },
        }),
        "PD does not end the eviction": words({ world: { changes: refuses }, options: yes }),
        "it is interrupted": words({ options: yes, isInterrupted: ({ done }) => done.includes("end-eviction") }),
        "the API server does not answer": words({
            world: { failure: new KubernetesApiError("could not reach the API server", undefined) },
        }),
    });

    for (const [option, value] of [
        ["--pd-cluster", "a/b/c"],
        ["--output", "html"],
    ] as const) {
        it(`refuses ${option} ${value}`, async () => {
            const program = commandLine().exitOverride();
            const command = program.commands.find((one) => one.name() === "sweep");
            command?.exitOverride().configureOutput({ writeErr: () => undefined });
            await assert.rejects(program.parseAsync(["sweep", "basic", option, value], { from: "user" }), {
                code: "commander.invalidArgument",
            });
        });
    }
});
