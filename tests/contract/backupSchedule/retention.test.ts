import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { openRetention, type RetentionStage, rclones, shell } from "./retentionStage";
import { metaOf, own, ownMeta, played } from "./scheduleStage";

const day = 24;
const week = 7 * day;
const name = (date: string): string => `${own}${date}t02-00-00`;
const [mon, tue, wed, thu, fri] = ["05", "06", "07", "08", "09"].map((date) => name(`2026-01-${date}`));

for (const rclone of rclones) {
    describe(`retention of a schedule, under ${shell}, with ${rclone === undefined ? "the recorder of rclone" : "a real rclone"}`, () => {
        let stage: RetentionStage;
        before(() => {
            stage = openRetention(rclone);
        });
        after(() => stage.end());
        const keep: RetentionStage["keep"] = (limit, backups, run = fri, options) =>
            stage.keep(limit, backups, run, options);
        const newest = { "backup.lock": 1, backupmeta: 0 };

        it("keeps the newest complete backups, and the one of this run among them", async () => {
            const { code, output, left } = await keep(
                { maxBackups: 2 },
                {
                    [mon]: played.complete(4 * day),
                    [tue]: played.complete(3 * day),
                    [thu]: played.complete(day),
                    [fri]: newest,
                },
            );
            assert.equal(code, 0, output);
            assert.deepEqual(left, [thu, fri], output);
            assert.match(output, new RegExp(`retention: delete ${mon}: 2 newer ones are complete`));
            assert.match(output, /retention: 2 complete backups are left/);
        });

        it("never deletes the only good backup, however many failed after it and however old it is", async () => {
            const limits = [{ maxBackups: 1 }, { maxReservedTime: "1h" }];
            for (const limit of limits) {
                // The run's own is the only one.
                const alone = await keep(limit, { [fri]: newest });
                assert.deepEqual([alone.code, alone.left], [0, [fri]], alone.output);
                // The run's own has no backupmeta: nothing is deleted, and the Job fails.
                const failed = await keep(limit, {
                    [mon]: played.complete(10 * day),
                    [tue]: played.complete(9 * day),
                    [fri]: played.begun(0),
                });
                assert.equal(failed.code, 1);
                assert.deepEqual(failed.left, [mon, tue, fri]);
                assert.match(failed.output, new RegExp(`${fri} has no backupmeta; nothing was deleted`));
            }
        });

        it("never deletes a backup of an earlier cluster of the same name, or one that does not say of which it is", async () => {
            const backups = { [mon]: played.complete(4 * day), [tue]: played.complete(3 * day), [fri]: newest };
            const earlier = metaOf(0x81, 0x80, 0xa8, 0xf8, 0xfc, 0xd4, 0xb8, 0xa7, 0x65);
            const random = Buffer.from("e1c40b7f93a80d2266f1", "hex");
            const begun = Buffer.from(ownMeta.subarray(0, 6));
            for (const limit of [{ maxBackups: 1 }, { maxReservedTime: "1h" }]) {
                for (const meta of [earlier, random, begun, Buffer.alloc(0)]) {
                    const { code, left, output } = await keep(limit, backups, fri, { metas: { [mon]: meta } });
                    assert.deepEqual([code, left], [0, [mon, fri]], output);
                    assert.match(output, new RegExp(`leave ${mon} alone: its backupmeta does not say`));
                    assert.match(output, new RegExp(`delete ${tue}: `));
                }
                // Encrypted by BR, or not to be read: then it is not known of which cluster this run is.
                const hidden = await keep(limit, backups, fri, {
                    metas: { [mon]: random, [tue]: random, [fri]: random },
                });
                assert.deepEqual([hidden.code, hidden.left], [0, [mon, tue, fri]], hidden.output);
                const failing = { rcloneLines: 'case "$1" in cat) exit 1 ;; esac\nrclone "$@"' };
                const unread = await keep(limit, backups, fri, failing);
                assert.deepEqual([unread.code, unread.left], [0, [mon, tue, fri]], unread.output);
            }
        });

        it("knows the cluster again after an upgrade", async () => {
            const later = Buffer.from(ownMeta);
            later.write("9", later.indexOf("8.5.3"));
            const backups = { [mon]: played.complete(4 * day), [fri]: newest };
            const { left, output } = await keep({ maxBackups: 1 }, backups, fri, { metas: { [fri]: later } });
            assert.deepEqual(left, [fri], output);
        });

        it("deletes nothing if another run's backup is newer: of two runs that overlap, neither deletes the other's", async () => {
            for (const limit of [{ maxBackups: 1 }, { maxReservedTime: "1h" }]) {
                const { code, output, left } = await keep(
                    limit,
                    {
                        [mon]: played.complete(2 * day),
                        [thu]: { "backup.lock": 2, backupmeta: 1 },
                        [fri]: played.complete(0.5),
                    },
                    thu,
                );
                assert.deepEqual([code, left], [0, [mon, thu, fri]], output);
                assert.match(output, /retention: a newer backup is complete: its run deletes old ones/);
            }
        });

        it("failed and unfinished backups take the place of no good one", async () => {
            const { left, output } = await keep(
                { maxBackups: 2 },
                {
                    [mon]: played.complete(4 * day),
                    [tue]: played.begun(3 * day),
                    [wed]: played.unsure(2 * day),
                    [thu]: played.begun(day),
                    [fri]: newest,
                },
            );
            assert.deepEqual(left, [mon, tue, wed, thu, fri], output);
            assert.match(output, new RegExp(`leave ${tue} alone: it is not complete, and on a volume`));
            assert.match(output, new RegExp(`leave ${wed} alone: nothing says that its backup succeeded`));
        });

        it("by age, goes by the clock of the storage, whatever the names say", async () => {
            const wrong = name("2031-01-01");
            const { left, output } = await keep(
                { maxReservedTime: "72h" },
                {
                    [mon]: played.complete(2 * day),
                    [thu]: played.complete(4 * day),
                    [wrong]: played.complete(5 * day),
                    [fri]: newest,
                },
            );
            assert.deepEqual(left, [mon, fri], output);
        });

        it("deletes nothing if the clock of the storage and that of the node do not agree", async () => {
            for (const hours of [-30 * day, 30 * day]) {
                const { code, output, left } = await keep(
                    { maxReservedTime: "1h" },
                    { [mon]: played.complete(4 * day), [fri]: { "backup.lock": 1, backupmeta: hours } },
                );
                assert.deepEqual([code, left], [1, [mon, fri]], output);
                assert.match(
                    output,
                    /the clock of the storage is -?\d+ seconds ahead of this node's; nothing was deleted/,
                );
            }
        });

        it("an unfinished backup goes a week after its last write, and a half-deleted one with it", async () => {
            const { left } = await keep(
                { maxBackups: 9 },
                {
                    [mon]: played.begun(week + 1),
                    [tue]: { ...played.begun(2 * week), "2/late.sst": day },
                    [wed]: { "1/a.sst": week + 2, "pulumi-tidb.complete": week + 1 },
                    [thu]: played.unsure(2 * week),
                    [fri]: newest,
                },
                fri,
                { kind: "s3" },
            );
            assert.deepEqual(left, [tue, thu, fri]);
        });

        it("on a volume, whose times a node with a wrong clock may have written, an unfinished backup stays", async () => {
            const { code, left, output } = await keep(
                { maxBackups: 9 },
                { [mon]: played.begun(2 * week), [fri]: newest },
            );
            assert.deepEqual([code, left], [0, [mon, fri]], output);
            assert.match(output, new RegExp(`leave ${mon} alone: it is not complete, and on a volume`));
        });

        it("leaves a backup alone whose backupmeta a list lacks, if another list or the object itself shows it", async () => {
            const disagree = new RegExp(`leave ${mon} alone: it is not certain that it lacks backupmeta`);
            const backup = { ...played.complete(9 * day), "pulumi-tidb.complete": 8 * day };
            for (const lists of ["*max-depth*", "*max-depth*|*--recursive*"]) {
                const lacking = `case "$*" in ${lists}) rclone "$@" | sed "\\|${mon}/backupmeta|d;\\|^[0-9]* backupmeta$|d" ;; *) rclone "$@" ;; esac`;
                const { code, output, left } = await keep({ maxBackups: 9 }, { [mon]: backup, [fri]: newest }, fri, {
                    rcloneLines: lacking,
                    kind: "s3",
                });
                assert.deepEqual([code, left], [0, [mon, fri]], output);
                assert.match(output, disagree);
            }
        });

        it("touches nothing but folders with its own name and a time", async () => {
            const others = Object.fromEntries(
                [
                    "basic-pd.db-2379-2026-01-01t02-00-00",
                    "basic-pd.db-2379-nightly-old-2026-01-01t02-00-00",
                    "basic-pd.db-2379-weekly-2026-01-01t02-00-00",
                    `${mon}-copy`,
                    `x${mon}`,
                    `${own}2026-01-01`,
                    `${own}monday`,
                    "my documents",
                ].map((one) => [one, played.complete(9 * day)]),
            );
            const { code, left, output } = await keep(
                { maxBackups: 1 },
                { ...others, [mon]: played.complete(day), [fri]: newest },
            );
            assert.equal(code, 0, output);
            assert.deepEqual(left, [...Object.keys(others), fri].sort());
        });

        it("deletes nothing if a list fails, or the name of the run is none", async () => {
            const backups = { [mon]: played.complete(4 * day), [fri]: newest };
            for (const run of ["", "nightly", "../other", `${fri}/..`]) {
                const { code, left } = await keep({ maxBackups: 1 }, backups, run);
                assert.deepEqual([code, left], [1, [mon, fri]], run);
            }
            const failing = 'case "$*" in *--recursive*) exit 1 ;; esac\nrclone "$@"';
            const { code, left } = await keep({ maxBackups: 1 }, backups, fri, { rcloneLines: failing });
            assert.deepEqual([code, left], [1, [mon, fri]]);
        });

        it("deletes nothing if it cannot note that this backup is complete: the storage is full, or refuses", async () => {
            const backups = { [mon]: played.complete(4 * day), [fri]: newest };
            for (const failing of ["echo 'no space left on device' >&2; exit 1", "exit 5"]) {
                const lines = `case "$1" in rcat) ${failing} ;; esac\nrclone "$@"`;
                const { code, left } = await keep({ maxBackups: 1 }, backups, fri, { rcloneLines: lines });
                assert.notEqual(code, 0);
                assert.deepEqual(left, [mon, fri]);
            }
            // A storage that takes the mark and does not keep it.
            const lost = 'case "$1" in rcat) cat > /dev/null ;; *) rclone "$@" ;; esac';
            const { code, output, left } = await keep({ maxBackups: 1 }, backups, fri, { rcloneLines: lost });
            assert.deepEqual([code, left], [1, [mon, fri]], output);
            assert.match(output, /nothing was deleted/);
        });

        it("leaves what it could not delete for the next run, and never a backup that looks whole", async () => {
            const backups = { [mon]: played.complete(4 * day), [fri]: newest };
            const refused = 'case "$1" in delete) exit 1 ;; esac\nrclone "$@"';
            const { code, left } = await keep({ maxBackups: 1 }, backups, fri, { rcloneLines: refused });
            assert.deepEqual([code === 0, left], [false, [mon, fri]]);
            const nightly = path.join(stage.folder, "storage", "nightly");
            assert.ok(!fs.existsSync(path.join(nightly, mon, "backupmeta")));
            assert.ok(fs.existsSync(path.join(nightly, fri, "backupmeta")));
        });
    });
}
