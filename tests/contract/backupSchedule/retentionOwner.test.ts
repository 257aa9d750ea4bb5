import * as assert from "node:assert/strict";
import { openRetention, type RetentionStage, rclones, shell, storageKinds } from "./retentionStage";
import { metaOf, own, ownMeta, played } from "./scheduleStage";

const day = 24;
const week = 7 * day;
const name = (time: string): string => `${own}2026-01-${time}-00-00`;
const [first, second, third, run] = ["05t02", "06t02", "07t02", "08t02"].map(name);
const newest = { "backup.lock": 1, backupmeta: 0 };

/** Of a cluster of the same name in another Kubernetes cluster, or before this one. */
const twin = metaOf(0x81, 0x80, 0xa8, 0xf8, 0xfc, 0xd4, 0xb8, 0xa7, 0x65);

/** Contents of `backupmeta` that do not say whose it is: empty, cut off, encrypted. */
const unreadable = [Buffer.alloc(0), Buffer.from(ownMeta.subarray(0, 6)), Buffer.from("e1c40b7f93a80d2266f1", "hex")];

/** Complete backups that are younger than the own ones, and not certainly own. */
const strangers = Object.fromEntries(
    [twin, ...unreadable].map((meta, index) => [name(`07t1${index}`), { meta, backup: played.complete(18 - index) }]),
);
const strange = Object.keys(strangers);
const backupsOf = (given: typeof strangers): Record<string, ReturnType<typeof played.complete>> =>
    Object.fromEntries(Object.entries(given).map(([at, { backup }]) => [at, backup]));
const metas = Object.fromEntries(Object.entries(strangers).map(([at, { meta }]) => [at, meta]));
const complete = {
    [first]: played.complete(3 * day),
    [second]: played.complete(2 * day),
    [third]: played.complete(day),
    ...backupsOf(strangers),
    [run]: newest,
};

for (const rclone of rclones) {
    describe(`retention in a prefix that clusters of one name share, under ${shell}, with ${rclone === undefined ? "the recorder of rclone" : "a real rclone"}`, () => {
        let stage: RetentionStage;
        before(() => {
            stage = openRetention(rclone);
        });
        after(() => stage.end());

        for (const kind of storageKinds) {
            it(`in ${kind}, backups that are not certainly of the own cluster take the place of no own one, and stay`, async () => {
                const options = { kind, metas };
                const byCount = await stage.keep({ maxBackups: 3 }, complete, run, options);
                assert.deepEqual(byCount.left, [second, third, ...strange, run], byCount.output);
                assert.match(byCount.output, /retention: 3 complete backups are left/);
                assert.match(byCount.output, /retention: 4 more do not count/);
                if (kind !== "local" && kind !== "s3") {
                    return;
                }
                const byAge = await stage.keep({ maxReservedTime: "10h" }, complete, run, options);
                assert.deepEqual(byAge.left, [...strange, run], byAge.output);
            });
        }

        it("an own backup that is due goes, although another cluster has a newer one; whose that is must be known", async () => {
            const backups = { [first]: played.complete(2 * day), [run]: { "backup.lock": 2, backupmeta: 1 } };
            const later = name("08t03");
            for (const limit of [{ maxBackups: 1 }, { maxReservedTime: "1h" }]) {
                for (const [meta, left] of [
                    [twin, [run, later]],
                    ...[...unreadable, ownMeta].map((one) => [one, [first, run, later]] as const),
                ] as const) {
                    const all = { ...backups, [later]: played.complete(0.5) };
                    const ended = await stage.keep(limit, all, run, { metas: { [later]: meta } });
                    assert.deepEqual([ended.code, ended.left], [0, left], ended.output);
                }
            }
        });

        for (const kind of storageKinds.filter((one) => one !== "local")) {
            it(`in ${kind}, what another cluster has left unfinished stays, as long as it may be another's`, async () => {
                const broken = {
                    [first]: played.begun(2 * week),
                    // Half deleted.
                    [second]: { "1/a.sst": week + 2, "pulumi-tidb.complete": week + 1 },
                };
                const beside = [
                    { meta: twin, backup: played.complete(day) },
                    { meta: unreadable[0], backup: played.complete(day) },
                    // BR failed after it wrote backupmeta.
                    { meta: twin, backup: played.unsure(day) },
                ];
                for (const { meta, backup } of kind === "s3" ? beside : beside.slice(0, 1)) {
                    const all = { ...broken, [third]: backup, [run]: newest };
                    const { code, left, output } = await stage.keep({ maxBackups: 1 }, all, run, {
                        kind,
                        metas: { [third]: meta },
                    });
                    assert.deepEqual([code, left], [0, [first, second, third, run]], output);
                    assert.match(output, new RegExp(`leave ${first} alone: it is not complete, and like ${third} it`));
                }
                // The own backup that goes in the same run is no other cluster's.
                const all = { ...broken, [third]: played.complete(day), [run]: newest };
                const { left, output } = await stage.keep({ maxBackups: 1 }, all, run, { kind });
                assert.deepEqual(left, [run], output);
            });
        }

        it("no backup goes if its own ID cannot be read, be it complete or not", async () => {
            const all = { ...complete, [first]: played.begun(2 * week) };
            for (const limit of [{ maxBackups: 1 }, { maxReservedTime: "1h" }]) {
                const { code, left, output } = await stage.keep(limit, all, run, {
                    kind: "s3",
                    metas: { ...metas, [run]: unreadable[1] },
                });
                assert.deepEqual([code, left], [0, Object.keys(all).sort()], output);
            }
        });
    });
}
