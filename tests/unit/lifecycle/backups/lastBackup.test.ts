import * as assert from "node:assert/strict";
import { backupJobName } from "../../../../provider/lifecycle/backups/backupNames";
import {
    consentOf,
    dataOf,
    destroyName,
    folderOf,
    lastBackup,
    type LastBackupJob,
    withoutBackup,
} from "../../../../provider/lifecycle/backups/lastBackup";
import { claimOf, observed } from "../../../support/lifecycle/observations";
import type { ObservedMember } from "../../../../provider/lifecycle/vocabulary/observation";
import { repeats } from "../../../support/repeats";

const now = Date.parse("2026-11-25T18:00:00Z");
const minutes = (count: number) => now - count * 60_000;
const job = (more: Partial<LastBackupJob> = {}): LastBackupJob => ({
    ...{ name: "backup-basic-destroy-a", uid: "u1", of: "spec", createdAt: minutes(90), state: "succeeded" },
    ...{ succeededAt: minutes(30), ...more },
});

describe("the last backup before a destroy", () => {
    const jobs: [string, LastBackupJob, boolean][] = [
        ["that has just succeeded", job(), true],
        ["that succeeded an hour ago", job({ succeededAt: minutes(60) }), true],
        ["that succeeded longer than an hour ago", job({ succeededAt: minutes(61) }), false],
        ["that says no time of its success", job({ succeededAt: undefined }), false],
        [
            "that succeeded in another hour than this one, by a clock that is ahead",
            job({ succeededAt: minutes(-61) }),
            false,
        ],
        ["that began longer than a day ago", job({ createdAt: minutes(24 * 60 + 1) }), false],
        ["of which nobody knows when it began", job({ createdAt: undefined }), false],
        ["that is at work", job({ state: "at work", succeededAt: undefined }), true],
        [
            "that has been at work for longer than a day",
            job({ state: "at work", createdAt: minutes(24 * 60 + 1) }),
            false,
        ],
        ["that failed", job({ state: "over", succeededAt: undefined }), false],
        ["to another place", job({ of: "other" }), false],
        ["that says nothing of what it was made for", job({ of: undefined }), false],
    ];
    for (const [title, one, counts] of jobs) {
        it(`${counts ? "is" : "is not"} one ${title}`, () => {
            assert.equal(lastBackup([one], "spec", now), counts ? one : undefined);
        });
    }

    it("is the newest one that counts", () => {
        const newest = job({ name: "newest", createdAt: minutes(40) });
        const failed = job({ name: "failed", createdAt: minutes(20), state: "over", succeededAt: undefined });
        assert.equal(lastBackup([job(), newest, failed], "spec", now), newest);
    });

    it("is none while nobody knows what time it is", () => {
        assert.equal(lastBackup([job(), job({ state: "at work" })], "spec", undefined), undefined);
    });

    it("has its time and its cluster in its folder, which the name of its Job has too", () => {
        const folder = destroyName("lease-1", now);
        assert.match(folder, /^destroy-20261125t180000-[0-9a-f]{12}$/);
        assert.notEqual(destroyName("lease-2", now), folder);
        for (const cluster of ["basic", "destroy-1-of-a-name-that-is-very-long-and-goes-on-and-on-and-on"]) {
            const name = backupJobName(cluster, folder);
            assert.ok(name.length <= 63, name);
            assert.equal(folderOf(name), folder);
        }
    });
});

describe("what of TiKV there is to back up", () => {
    const { statefulSet } = observed("tikv", {}).observation.members.tikv as ObservedMember;
    assert.ok(statefulSet);
    const claims = [claimOf("tikv", 0)];
    const cases: [string, Parameters<typeof dataOf>[0], string][] = [
        ["its stores while it has a StatefulSet", { statefulSet, claims: [] }, "stores"],
        ["its volumes while it is suspended", { claims }, "volumes"],
        [
            "its volumes once somebody deletes its StatefulSet",
            { statefulSet: { ...statefulSet, terminating: true }, claims },
            "volumes",
        ],
        ["nothing if it was never deployed", { claims: [] }, "nothing"],
    ];
    for (const [title, tikv, data] of cases) {
        it(`is ${title}`, () => {
            assert.equal(dataOf(tikv), data);
        });
    }
});

describe("a person's word that a cluster may be destroyed without a last backup", () => {
    /** What the person is told: the words repeat this. */
    const words: [string, string | undefined, number | undefined, true | undefined | { names: string }][] = [
        ["is not there", undefined, now, undefined],
        ["is empty", "", now, undefined],
        ["counts until its time", "2026-11-25T18:00:00Z", now, true],
        ["does not count after it", "2026-11-25T17:59:59Z", now, { names: "2026-11-25T17:59:59Z" }],
        ["counts for two hours at most", "2026-11-25T20:00:00Z", now, true],
        ["does not count for longer", "2026-11-25T20:00:01Z", now, { names: "2026-11-25T20:00:01Z" }],
        ["does not count without a time", "true", now, { names: "2026-11-25T20:00:00Z" }],
        ["does not count by a time that is none", "2026-13-45T18:00:00Z", now, { names: "2026-13-45T18:00:00Z" }],
        ["does not count by a time of another zone", "2026-11-25T20:00:00+02:00", now, { names: "+02:00" }],
        ["does not count while the time is not known", "2026-11-25T18:00:00Z", undefined, { names: "" }],
    ];
    for (const [title, text, at, expected] of words) {
        it(title, () => {
            const found = withoutBackup(text, at);
            if (typeof expected === "object") {
                assert.ok(typeof found === "string");
                repeats(found, expected.names);
            } else {
                assert.equal(found, expected);
            }
        });
    }

    it("is asked for with a time that counts for two hours", () => {
        assert.equal(consentOf(now), "2026-11-25T20:00:00Z");
        assert.equal(withoutBackup(consentOf(now), now), true);
    });
});
