import * as assert from "node:assert/strict";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { delete_ } from "../../../provider/gates/gates";
import { beforeClusterIsDeleted, beforeStoresAreDeleted } from "../../../provider/gates/destroy";
import type { BackupJob, GateBackup } from "../../../provider/gates/inputs";
import type { LastBackupWorld } from "../../../provider/gates/lastBackupJobs";
import { createReadyGateDefinition } from "../../../provider/gates/readyGate";
import type { LeaseView } from "../../../provider/cluster/leaseNotes";
import type { JobObservation } from "../../../provider/lifecycle/jobs/observedJob";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { claimOf, evicting } from "../../support/lifecycle/observations";
import { complete, ended, failed, pod, seen, started } from "../lifecycle/jobs/observed";
import { changePorts, type ClusterWorld, clusterWorld, deployed, leaseOf } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

type Played = Awaited<ReturnType<LastBackupWorld["list"]>>[number];

const onDestroy: GateBackup = {
    job: {
        metadata: {
            name: "backup-on-destroy",
            namespace: "tidb",
            annotations: { "pulumi-tidb.io/job-revision": "r1" },
        },
        spec: {
            template: {
                spec: {
                    containers: [
                        { image: "pingcap/br", args: ["backup", "full", "--storage=s3://b/PULUMI-TIDB-FOLDER"] },
                    ],
                },
            },
        },
    },
    untaggedImage: "pingcap/br",
    url: "s3://b/PULUMI-TIDB-FOLDER",
    timeoutSeconds: 60,
};
const hour = 3_600_000;
const at = (job: typeof started) => ({ ...job, revision: "r1" });

/** A played cluster with its Jobs. Each answers one look after the other; the last answer stays. */
function played(more: Partial<ClusterWorld> = {}, ...looks: JobObservation[]) {
    const world = clusterWorld(more);
    let lease: Partial<LeaseView> = {};
    let image = "pingcap/tikv:v8.5.3";
    changePorts(world, (ports) => ({
        lease: async () => {
            const found = await ports.lease();
            return found && { ...found, asOf: world.time, ...lease };
        },
        look: async (options) => {
            const found = await ports.look(options);
            const { tikv } = found.members;
            const members = tikv?.statefulSet && { tikv: { ...tikv, statefulSet: { ...tikv.statefulSet, image } } };
            return { ...found, members: { ...found.members, ...members } };
        },
    }));
    const made: BackupJob[] = [];
    const there: Played[] = [];
    const refusals: Error[] = [];
    const jobs: LastBackupWorld = {
        open: ({ job }) =>
            Promise.resolve({
                now: () => world.time,
                sleep: (milliseconds: number) => Promise.resolve((world.time += milliseconds)),
                look: () => {
                    world.done.push(`look at ${job}`);
                    const next = (looks.length > 1 ? looks.shift() : looks[0]) as JobObservation;
                    const isOver = next.job.known && next.job.value?.conditions.some(({ type }) => type === "Complete");
                    const index = there.findIndex(({ name }) => name === job);
                    if (isOver && there[index].state === "at work") {
                        there[index] = { ...there[index], state: "succeeded", succeededAt: world.time };
                    }
                    return Promise.resolve({ ...next, now: world.time });
                },
                lastLines: () => Promise.resolve(known(["no space left"], "the API server", 0)),
                absentSecrets: () => Promise.resolve([]),
                beside: () => Promise.resolve(known([], "the API server", 0)),
                start: () => Promise.reject(new Error("the Job is not suspended")),
                progress: world.progress({} as never),
            }),
        list: () => (refusals.length > 0 ? Promise.reject(refusals[0]) : Promise.resolve([...there])),
        create: (_place, job) => {
            made.push(job);
            world.done.push("create");
            there.push(jobOf({ name: job.metadata.name, createdAt: world.time }));
            return Promise.resolve("u1");
        },
    };
    const jobOf = (one: Partial<Played>): Played => ({
        ...{ name: "backup-basic-destroy-earlier", uid: "u1", owners: ["lease-1"], of: "r1" },
        ...{ createdAt: world.time, state: "at work" as const, ...one },
    });
    const props = (backup: object = {}) =>
        deployed({ gate: "ready", members: [], onDestroy: { ...onDestroy, ...backup } });
    return {
        ...{ world, made, jobs, there },
        put: (one: Partial<Played>) => there.push(jobOf(one)),
        answer: (next: JobObservation) => looks.splice(0, looks.length, next),
        runs: (other: string) => (image = other),
        lease: (change: Partial<LeaseView>) => (lease = change),
        refuse: (error: Error) => refusals.push(error),
        destroy: (backup?: object) => beforeClusterIsDeleted("", props(backup), world, jobs),
        stores: (backup?: object) => beforeStoresAreDeleted("", props(backup), world, jobs),
    };
}

const wayOut =
    "kubectl annotate lease basic-pulumi-tidb --namespace tidb --overwrite pulumi-tidb.io/destroy-without-backup=20";

describe("the last backup before a cluster is destroyed", () => {
    it("is taken under the lock before anything else is done, by a Job of the Lease, with BR as TiKV is", async () => {
        const { world, made, destroy } = played(
            { lease: leaseOf({ records: evicting(1) }), live: { pd: {}, tikv: { evicted: [11] }, tidb: {} } },
            seen(at(started)),
            seen(at(complete)),
        );
        world.changes = ({ do: what }) => {
            if (what === "end-eviction") {
                world.live.tikv = { ...world.live.tikv, evicted: [], persisted: [] };
            }
        };
        await destroy();
        const order = ["lock", "create", `look at ${made[0].metadata.name}`, "end-eviction"];
        assert.deepEqual(
            [...order].sort((a, b) => world.done.indexOf(a) - world.done.indexOf(b)),
            order,
        );
        const [{ metadata, spec }] = made;
        assert.match(metadata.name, /^backup-basic-destroy-\d{8}t\d{6}-[0-9a-f]{12}$/);
        assert.deepEqual(metadata.ownerReferences, [
            { apiVersion: "coordination.k8s.io/v1", kind: "Lease", name: "basic-pulumi-tidb", uid: "lease-1" },
        ]);
        const [container] = spec.template.spec.containers;
        assert.equal(container.image, "pingcap/br:v8.5.3");
        const folder = metadata.name.replace("backup-basic-", "");
        assert.equal(container.args[2], `--storage=s3://b/${folder}`);
        assert.ok(world.done.includes(`the last backup of the cluster tidb/basic is at s3://b/${folder}`));
    });

    it("is an operation of the cluster's journal, also where it failed", async () => {
        for (const [outcome, look] of [
            ["done", complete],
            ["failed", failed],
        ] as const) {
            const looks = Array.from({ length: 40 }, () => seen(at(started)));
            const { world, destroy } = played({}, ...looks, seen(at(look), [ended("x", look === failed ? 1 : 0)]));
            const kept: JournalOperation[] = [];
            changePorts(world, () => ({ journal: { ...noJournal, keep: (operation) => void kept.push(operation) } }));
            await destroy().catch(() => undefined);
            const [{ what, outcome: found }] = kept;
            repeats(what, "tidb/basic");
            assert.deepEqual([kept.length, found], [1, outcome]);
        }
    });

    it("keeps an image with a tag", async () => {
        const { made, destroy, runs } = played({}, seen(at(complete)));
        runs("pingcap/tikv:latest");
        await destroy({ untaggedImage: undefined });
        assert.equal(made[0].spec.template.spec.containers[0].image, "pingcap/br");
    });

    it("is not taken unless the program asks for it", async () => {
        const { made, world, jobs, refuse } = played();
        refuse(new Error("Jobs are not read"));
        await beforeClusterIsDeleted("", deployed({ gate: "ready", members: [] }), world, jobs);
        await beforeStoresAreDeleted("", deployed({ gate: "rollout" }), world, jobs);
        assert.deepEqual(made, []);
    });

    it("fails with BR's last words and the way out, and the next destroy takes another one", async () => {
        const { made, destroy, world, there } = played({}, seen(at(failed), [ended("backup-a", 1)]));
        for (const attempt of [1, 2]) {
            await failsWith(destroy(), "job-failed", { names: ['"no space left"', wayOut] });
            assert.equal(made.length, attempt);
            there[attempt - 1] = { ...there[attempt - 1], state: "over" };
            world.time += 1_000;
        }
        assert.notEqual(made[0].metadata.name, made[1].metadata.name);
    });

    it("of an earlier run is named with its age before it counts, because later data are not in it", async () => {
        const { destroy, world, there } = played({}, seen(at(started)));
        await assert.rejects(destroy());
        const named = () => world.warnings.filter(({ code }) => code === "earlier-last-backup");
        assert.deepEqual(named(), []);
        await assert.rejects(destroy());
        assert.equal(named().length, 1);
        repeats(named()[0], new Date(there[0].createdAt ?? NaN).toISOString().slice(0, 19));
    });

    it("is waited for again by the run after one that was killed, or whose time was over", async () => {
        const { made, destroy, world, answer } = played({}, seen(at(started)));
        await failsWith(destroy(), "job-timed-out", { names: "60 s" });
        world.time += 10 * hour;
        answer(seen(at(complete)));
        await destroy();
        assert.equal(made.length, 1);
    });

    it("is not taken again within an hour of its success, and is after it", async () => {
        const { made, destroy, world } = played({}, seen(at(complete)));
        await destroy();
        world.time += hour;
        await destroy();
        assert.equal(made.length, 1);
        world.time += 1;
        await destroy();
        assert.equal(made.length, 2);
    });

    const foreign: [string, Partial<Played>][] = [
        ["another cluster of its name", { owners: ["lease-0"] }],
        ["another storage", { of: "r0" }],
    ];
    for (const [title, one] of foreign) {
        it(`does not count if it is of ${title}`, async () => {
            const { made, put, destroy, world } = played({}, seen(at(complete)));
            put({ ...one, state: "succeeded", succeededAt: world.time });
            await destroy();
            assert.equal(made.length, 1);
        });
    }

    it("counts for the run that waited for it, however long it took", async () => {
        const { world, jobs, destroy } = played({}, seen(at(complete)));
        const { open } = jobs;
        jobs.open = async (place) => {
            world.time += 30 * hour;
            return open(place);
        };
        await destroy();
    });

    it("does not count if it ended long ago because this machine slept", async () => {
        const { world, jobs, destroy } = played({}, seen(at(complete)));
        const { open } = jobs;
        jobs.open = async (place) => {
            const ports = await open(place);
            return {
                ...ports,
                look: async () => {
                    const found = await ports.look();
                    world.time += 2 * hour;
                    return found;
                },
            };
        };
        await failsWith(destroy(), "backup-outdated");
    });

    it("is not enough if somebody else has the lock by then", async () => {
        const { world, destroy } = played({}, seen(at(complete)));
        world.confirmed = () => {
            throw new Error("ben@build holds it now");
        };
        await assert.rejects(destroy(), /ben@build holds it now/);
    });

    it("is refused for a suspended cluster with volumes, and not needed without", async () => {
        const suspended = { suspended: true, claims: [claimOf("tikv", 0), claimOf("tikv", 1)] };
        const { made, destroy } = played({ live: { tikv: suspended } });
        const names = ["2 volume claims", wayOut];
        await failsWith(destroy(), "backup-needs-tikv", { target: "TiKV", names });
        const none = played({ live: { tikv: { suspended: true } } });
        await none.destroy();
        assert.deepEqual([made, none.made], [[], []]);
    });

    it("is refused if the Lease is gone and the data are not", async () => {
        const { destroy } = played({ lease: undefined });
        const { next } = await failsWith(destroy(), "lease-gone", { target: "Lease tidb/basic-pulumi-tidb" });
        assert.ok(next.includes("pulumi state delete 'urn'"), next);
        const none = played({ lease: undefined, live: { tikv: { suspended: true } } });
        await none.destroy();
    });

    it("is refused if BR's version is not known", async () => {
        const { made, destroy, runs } = played();
        runs("pingcap/tikv:latest");
        await failsWith(destroy(), "image-without-version", {
            names: ["latest", "operations.backup.onDestroy.spec.toolImage"],
        });
        assert.deepEqual(made, []);
    });

    it("is not made while the Jobs that are there, or TiKV, are not known", async () => {
        const refusal = new KubernetesApiError("could not list Jobs: 403", 403);
        const { made, refuse, destroy } = played();
        refuse(refusal);
        await failsWith(destroy(), "api-call-failed", { names: [refusal.message, wayOut] });
        assert.deepEqual(made, []);
        const { world, destroy: other } = played();
        changePorts(world, () => ({ look: () => Promise.reject(refusal) }));
        await failsWith(other(), "api-call-failed", { names: refusal.message });
    });

    it("stops when somebody asks for it, and the Job goes on; an API server that does not answer asks for nothing", async () => {
        const { world, jobs, lease, destroy, answer } = played({}, seen(at(started)));
        const { open } = jobs;
        jobs.open = (place) => (lease({ stopAsked: "ana@laptop" } as never), open(place));
        await failsWith(destroy(), "stopped", { names: "ana@laptop" });
        lease({});
        let isSilent = false;
        jobs.open = (place) => ((isSilent = true), open(place));
        changePorts(world, ({ lease: read }) => ({
            lease: () => {
                const [isDown] = [isSilent, (isSilent = false)];
                return isDown ? Promise.reject(new KubernetesApiError("no answer", undefined)) : read();
            },
        }));
        answer(seen(at(complete)));
        await destroy();
    });

    it("does not take a Job of its name for its own", async () => {
        const { jobs, destroy } = played({}, seen(at(complete)));
        jobs.create = () => Promise.resolve(undefined);
        await failsWith(destroy(), "job-name-taken");
    });

    it("says what a Job waits for that does not begin", async () => {
        const state = {
            is: "waiting",
            reason: "CreateContainerConfigError",
            message: 'secret "keys" not found',
        } as const;
        const stuck = pod("backup-a", { phase: "Pending", containers: [{ name: "backup", state }] });
        const { destroy } = played({}, seen(at(started), [stuck]));
        await failsWith(destroy({ timeoutSeconds: 600 }), "job-stuck", { names: state.message });
    });

    it("is left out by a person's word, as long as that counts", async () => {
        const { made, world, lease, destroy } = played({}, seen(at(complete)));
        const until = (milliseconds: number) => `${new Date(world.time + milliseconds).toISOString().slice(0, 19)}Z`;
        lease({ withoutLastBackup: until(hour) });
        await destroy();
        repeats(world.warnings, "pulumi-tidb.io/destroy-without-backup");
        assert.deepEqual(made, []);
        lease({ withoutLastBackup: until(-hour) });
        await destroy();
        repeats(world.warnings.at(-1), "Lease tidb/basic-pulumi-tidb", until(-hour));
        assert.equal(made.length, 1);
    });
});

describe("the last backup before TiKV is deleted", () => {
    it("is the one that was just taken, however long it took", async () => {
        const { made, put, world, stores } = played();
        put({ createdAt: world.time - 30 * hour, state: "succeeded", succeededAt: world.time - hour });
        await stores();
        assert.deepEqual(made, []);
        assert.deepEqual(
            world.done.filter((one) => one.startsWith("the last backup")),
            [],
        );
    });

    it("is another one if the destroy has stopped since, under the lock", async () => {
        const { made, put, world, stores } = played({}, seen(at(complete)));
        put({ state: "succeeded", succeededAt: world.time - hour - 1 });
        await stores();
        assert.equal(made.length, 1);
        assert.ok(world.done.indexOf("lock") < world.done.indexOf("create"));
        const failing = played({}, seen(at(failed), [ended("backup-a", 1)]));
        await failsWith(failing.stores(), "job-failed", { names: wayOut });
    });

    it("is not needed if a suspension has taken its StatefulSet", async () => {
        const live = { tikv: { suspended: true, claims: [claimOf("tikv", 0)] } };
        const { made, stores } = played({ live });
        await stores();
        assert.deepEqual(made, []);
    });

    it("is refused without the Lease, or beside another one", async () => {
        await failsWith(played({ lease: undefined }).stores(), "lease-gone");
        await assert.rejects(played({ lease: leaseOf({ uid: "other" }) }).stores(), /these are two clusters/);
    });
});

describe("the gates that ask for a last backup", () => {
    for (const gate of ["ready", "rollout"]) {
        it(`have the gate ${gate} among them`, async () => {
            const access = { kubeconfig: "/nowhere/kubeconfig" };
            await assert.rejects(
                delete_("", deployed({ gate, members: [], access, onDestroy })),
                /nowhere|was not deleted/,
            );
        });
    }
});

describe("the preview of a last backup", () => {
    const { notes } = createReadyGateDefinition();
    const told = (olds: object, news: object) => notes?.(olds as never, news as never).map(({ words }) => words);

    it("notes that the program asks for it, or no longer does, and nothing else", () => {
        assert.deepEqual(told({}, { onDestroy }), [
            "a destroy takes a last backup to s3://b/destroy-… before it deletes anything",
        ]);
        assert.deepEqual(told({ onDestroy }, {}), ["a destroy takes no last backup any more"]);
        assert.deepEqual([told({}, {}), told({ onDestroy }, { onDestroy: structuredClone(onDestroy) })], [[], []]);
    });
});
