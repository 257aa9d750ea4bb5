import * as assert from "node:assert/strict";
import {
    cleanJobName,
    type LeftBackup,
    leftBackupOf,
    leftBackupText,
    neededBy,
    type StorageUser,
    timeOfBackup,
    tooEarly,
} from "../../../../provider/lifecycle/backups/leftBackup";
import { repeats } from "../../../support/repeats";

const left: LeftBackup = {
    backup: "monday",
    url: "s3://backups/monday",
    takenBy: "u1",
    attempt: 1,
    timeoutSeconds: 60,
};
const taken: StorageUser = {
    name: "Job tidb/backup-monday",
    uid: "u1",
    hasEnded: true,
    startedAt: 1_800_000_000_000,
    succeededAt: 1_800_000_600_000,
    args: ["backup", "full", "--storage=s3://backups/monday", "--s3.endpoint=http://minio"],
};
const clean = { jobUid: "u1", storage: ["--storage=s3://backups/monday", "--s3.endpoint=http://minio"] };

describe("when a backup that left the program was written", () => {
    it("is between the start and the success of its Job, with room for clocks that differ", () => {
        assert.deepEqual(timeOfBackup(taken, clean), { from: 1_799_999_100, until: 1_800_001_500 });
    });

    const unproven: [string, StorageUser | undefined][] = [
        ["the Job is gone", undefined],
        ["another Job has its name", { ...taken, uid: "u2" }],
        ["it has not ended", { ...taken, succeededAt: undefined }],
        ["it was never started", { ...taken, startedAt: undefined }],
        [
            "it wrote to another prefix",
            { ...taken, args: ["backup", "--storage=s3://backups/old", "--s3.endpoint=http://minio"] },
        ],
        ["it wrote to another endpoint", { ...taken, args: taken.args.slice(0, 3) }],
    ];
    for (const [what, job] of unproven) {
        it(`is not known if ${what}: its data stay`, () => assert.ok("why" in timeOfBackup(job, clean)));
    }
});

describe("when a failed backup was written", () => {
    const failed: StorageUser = { ...taken, succeededAt: undefined, failedAt: 1_800_000_600_000 };

    it("is between the start and the failure of its Job", () => {
        assert.deepEqual(timeOfBackup(failed, clean, "failed"), { from: 1_799_999_100, until: 1_800_001_500 });
    });

    it("is not known of a Job that is gone, has succeeded, has not ended, or wrote elsewhere", () => {
        for (const job of [undefined, taken, { ...failed, failedAt: undefined }, { ...failed, args: [] }]) {
            assert.ok("why" in timeOfBackup(job, clean, "failed"));
        }
        assert.ok("why" in timeOfBackup(failed, clean), "it has not succeeded");
    });

    it("is an hour ago before its data may go, by a clock that is known", () => {
        const until = 1_800_001_500;
        const of = { ...left, failed: { from: 1, until } };
        assert.equal(tooEarly(left, undefined), undefined);
        assert.equal(tooEarly(of, (until + 3600) * 1000), undefined);
        for (const early of [(until + 3600) * 1000 - 1, undefined]) {
            repeats(tooEarly(of, early), new Date((until + 3600) * 1000).toISOString());
        }
    });
});

describe("data of a backup that left the program", () => {
    const user = (more: Partial<StorageUser>): StorageUser => ({ ...taken, uid: "u9", name: "Job tidb/x", ...more });
    const at = (url: string) => ["backup", "full", `--storage=${url}`];

    it("are needed by nobody else", () => {
        const others = ["s3://backups/monday-2", "s3://other/monday", "gcs://backups/monday/", "s3://backups/mon"];
        assert.equal(neededBy(left, []), undefined);
        assert.equal(
            neededBy(
                left,
                others.map((url) => user({ args: at(url) })),
            ),
            undefined,
        );
    });

    const needed: [string, Partial<StorageUser>][] = [
        ["a backup with the same prefix", { args: at("s3://backups/monday") }],
        [
            "a backup with the same prefix and other settings",
            { args: at("s3://backups/monday/?force-path-style=true") },
        ],
        ["a backup within it", { args: at("s3://backups/monday/second") }],
        ["a backup that it is within", { args: at("s3://backups") }],
        ["a backup that has failed", { args: at("s3://backups/monday"), succeededAt: undefined }],
        ["a schedule around it", { args: ["script", "br", "s3://backups/", "", "backup", "full"], hasEnded: false }],
        ["a restore that runs", { args: ["restore", "full", "--storage=s3://backups/monday"], hasEnded: false }],
        [
            "a restore to a point in time that runs",
            { args: ["restore", "point", "--full-backup-storage=s3://backups/monday"], hasEnded: false },
        ],
    ];
    for (const [what, more] of needed) {
        it(`are needed by ${what}`, () => {
            repeats(neededBy(left, [user(more)]), "Job tidb/x");
        });
    }

    it("are not needed by a restore that has ended", () => {
        assert.equal(neededBy(left, [user({ args: ["restore", "full", "--storage=s3://backups/monday"] })]), undefined);
    });

    it("stay while the Job that took the backup is there: the Backup may be in the program again", () => {
        repeats(neededBy(left, [{ ...taken, args: at("s3://elsewhere") }]), "Job tidb/backup-monday");
    });

    it("are on record as they were written down, or not at all", () => {
        const failed = { ...left, failed: { from: 1, until: 2 } };
        assert.deepEqual([left, failed].map(leftBackupText).map(leftBackupOf), [left, failed]);
        assert.equal(leftBackupOf(JSON.stringify({ ...left, failed: { from: 1, until: "2" } })), undefined);
        assert.equal(leftBackupOf(JSON.stringify({ ...left, failed: { from: 1 } })), undefined);
        for (const text of [undefined, "", "null", "{}", "[]", leftBackupText({ ...left, url: "" }), '{"attempt":1}']) {
            assert.equal(leftBackupOf(text), undefined, text);
        }
    });

    it("have a Job of their own for each backup and each attempt", () => {
        const names = [left, { ...left, attempt: 2 }, { ...left, takenBy: "u2" }].map(cleanJobName);
        assert.equal(new Set(names).size, 3);
        assert.match(names[0], /^clean-monday-[0-9a-f]{12}$/);
        assert.equal(cleanJobName({ ...left, backup: "m".repeat(51) }).length, 63);
    });
});
