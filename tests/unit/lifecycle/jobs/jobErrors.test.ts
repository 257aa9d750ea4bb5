import * as assert from "node:assert/strict";
import { adviceFor, causeLines } from "../../../../provider/lifecycle/jobs/jobErrors";
import { judgeJob } from "../../../../provider/lifecycle/jobs/judgeJob";
import { ended, failed, seen, target } from "./observed";

/** What BR writes to its log before it fails. */
const begins = [
    '[2026/11/26 05:40:00.000 +00:00] [INFO] [info.go:49] ["Welcome to Backup & Restore (BR)"] [release-version=v8.5.2]',
    '[2026/11/26 05:40:00.001 +00:00] [INFO] [common.go:936] [arguments] [__command="br backup full"] [storage=s3://backups/first]',
    "Detail BR log in /tmp/br.log",
];
const exists =
    "backup meta file exists in s3://backups/first/backupmeta, there may be some backup files in the path already, please specify a correct backup directory!: [BR:Common:ErrInvalidArgument]invalid argument";
const brFailed = (error: string) =>
    `[2026/11/26 05:40:01.000 +00:00] [ERROR] [main.go:45] ["br failed"] [error=${JSON.stringify(error)}] [errorVerbose="stack"]`;

describe("the lines of a log that say why a Job failed", () => {
    for (const [title, lines, found] of [
        [
            "are BR's error, once, and not what came before",
            [...begins, `Error: ${exists}`, brFailed(exists)],
            [`Error: ${exists}`],
        ],
        [
            "are BR's error also where the log comes first",
            [brFailed(exists), ...begins, `Error: ${exists}`],
            [`Error: ${exists}`],
        ],
        [
            "have the second line of an error",
            [
                ...begins,
                "Error: RequestError: send request failed",
                "caused by: dial tcp: i/o timeout",
                brFailed("RequestError: send request failed\ncaused by: dial tcp: i/o timeout"),
            ],
            ["Error: RequestError: send request failed caused by: dial tcp: i/o timeout"],
        ],
        [
            "are several, if they say different things, and at most the last three",
            ["a", "b", "c", "d"].map((one) => brFailed(one.repeat(9))),
            ["b", "c", "d"].map((one) => brFailed(one.repeat(9))),
        ],
        [
            "keep a line only once that was written twice",
            [brFailed("timeout"), brFailed("timeout")],
            [brFailed("timeout")],
        ],
        ["are not known of a program that writes another form", ["ERROR 1045 (28000): Access denied", "bye"], []],
        ["are not those of another level", begins, []],
    ] as const) {
        it(title, () => assert.deepEqual(causeLines(lines), found));
    }

    it("are all that a failure shows of the log, with where the rest is", () => {
        const verdict = judgeJob(
            seen(failed, [ended("basic-init-b", 1)], [...begins, `Error: ${exists}`, brFailed(exists)]),
            target,
        );
        assert.deepEqual(
            verdict.is === "failed" && verdict.problem.seen,
            `it failed (BackoffLimitExceeded: Job has reached the specified backoff limit): container mysql-client of pod basic-init-b ended with exit code 1 (Error): "Error: ${exists}"; all of it: \`kubectl logs basic-init-b -c mysql-client -n tidb\``,
        );
        assert.equal(
            verdict.is === "failed" && verdict.problem.next,
            "choose another `prefix`, because this one holds a backup, then raise `attempt` from 1 to 2, which does it again in a new Job",
        );
    });
});

describe("the advice for an error of BR", () => {
    for (const [error, advice] of [
        [exists, "`prefix`"],
        ["check permission ListObjects failed due to AccessDenied: Access Denied", "bucket"],
        ["check permission failed due to NoSuchBucket: …", "bucket"],
        ["s3 bucket and region are not matched, bucket=b, input region=x, real region=y", "`region`"],
        ["[BR:Restore:ErrRestoreNotFreshCluster]cluster is not fresh", "empty"],
        ["[BR:Restore:ErrRestoreChecksumMismatch]restore checksum mismatch", "checksums"],
        ["[BR:Backup:ErrBackupChecksumMismatch]backup checksum mismatch", "checksums"],
        ["something else", "the Job"],
    ] as const) {
        it(`of: ${error.slice(0, 60)}`, () => assert.ok(adviceFor(error).includes(advice)));
    }
});
