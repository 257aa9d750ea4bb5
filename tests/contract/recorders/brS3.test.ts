import * as assert from "node:assert/strict";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { findFreePorts } from "../../../sandbox/controlPlane/ports";
import { type OwnS3Server, type PdSimulator, type S3Key, startS3Server } from "pulumi-tidb-sandbox";
import {
    type BrRun,
    type BrStage,
    customers,
    openBrStage,
    orders,
    pdOf,
    toldOf,
} from "../../support/recorders/brStage";

const buildMilliseconds = 600_000;

describe("the recorder of br, with a bucket", () => {
    let stage: BrStage;
    let server: OwnS3Server;
    let cluster: PdSimulator;
    let closedPort: number;
    let place = 0;

    before(async function () {
        this.timeout(buildMilliseconds);
        stage = openBrStage();
        server = await startS3Server({
            folder: path.join(stage.folder, "s3"),
            log: console.log,
            region: "eu-central-1",
        });
        await server.createBucket("backups");
        [closedPort] = await findFreePorts(1);
        cluster = await stage.startCluster();
        [orders, customers].forEach((table) => cluster.putTable(table));
    });
    after(async () => {
        await server.down();
        await stage.end();
    });
    beforeEach(() => {
        place++;
    });

    const environmentOf = ({ accessKey, secretKey }: S3Key): Record<string, string> => ({
        AWS_ACCESS_KEY_ID: accessKey,
        AWS_SECRET_ACCESS_KEY: secretKey,
    });
    const run = (command: string, of: PdSimulator, ...args: string[]): Promise<BrRun> =>
        runWith(environmentOf(server.key), command, of, ...args);
    const runWith = (environment: Record<string, string>, command: string, of: PdSimulator, ...args: string[]) =>
        stage.run(
            [
                ...command.split(" "),
                `--pd=${pdOf(of)}`,
                `--storage=s3://backups/nightly/${place}`,
                `--s3.endpoint=${server.endpoint}`,
                "--s3.region=eu-central-1",
                ...args,
            ],
            environment,
        );

    it("restores into another cluster what it has backed up", async () => {
        const backup = await run("backup full", cluster);
        assert.equal(backup.code, 0, backup.errors);
        const fresh = await stage.startCluster();
        const restore = await run("restore full", fresh);
        assert.equal(restore.code, 0, restore.errors);
        assert.deepEqual(fresh.tables(), [orders, customers]);
    });

    it("takes the key and the endpoint from the URL, and does not log the key", async () => {
        const { accessKey, secretKey } = server.key;
        const query = new URLSearchParams({
            endpoint: server.endpoint,
            region: "eu-central-1",
            "access-key": accessKey,
            "secret-access-key": secretKey,
        });
        const storage = `s3://backups/nightly/${place}?${query.toString()}`;
        const backup = await stage.run(["backup", "full", "--pd", pdOf(cluster), "--storage", storage]);
        assert.equal(backup.code, 0, backup.errors);
        assert.ok(!backup.output.includes(secretKey));
    });

    it("refuses a place with a backup, and one without", async () => {
        const restore = await run("restore full", await stage.startCluster());
        const file = `input.bucket='backups', input.key='nightly/${place}/backupmeta'`;
        assert.ok(
            restore.errors.startsWith(
                `Error: load backupmeta failed: failed to read s3 file, file info: ${file}: NoSuchKey: The specified key does not exist.\n\tstatus code: 404, request id: `,
            ),
            restore.errors,
        );
        assert.equal((await run("backup full", cluster)).code, 0);
        assert.match(
            (await run("backup full", cluster)).errors,
            /^Error: backup meta file exists in s3:\/\/backups\/nightly/,
        );
    });

    // What br, built from its source, says of the same server: its answers to HEAD have no body.
    const refusals: [string, () => Promise<BrRun>, RegExp, RegExp][] = [
        [
            "no key",
            () => runWith({}, "restore full", cluster),
            /^Error: create storage failed: NoCredentialProviders: no valid providers in chain\ncaused by: EnvAccessKeyNotFound/,
            /create storage failed: NoCredentialProviders/,
        ],
        [
            "an unknown key",
            () => runWith(environmentOf({ ...server.key, accessKey: "AKIAUNKNOWN" }), "restore full", cluster),
            /^Error: create storage failed: failed to get region of bucket backups: (Forbidden|NotFound): /,
            /bucket backups: (Forbidden|NotFound): .*status code: 40[34]/,
        ],
        [
            "a wrong secret",
            () => runWith(environmentOf({ ...server.key, secretKey: "wrong" }), "restore full", cluster),
            /^Error: create storage failed: failed to get region of bucket backups: Forbidden: Forbidden\n\tstatus code: 403/,
            /bucket backups: Forbidden: Forbidden status code: 403/,
        ],
        [
            "a token that is not valid any more",
            () => runWith({ ...environmentOf(server.key), AWS_SESSION_TOKEN: "old" }, "restore full", cluster),
            /^Error: create storage failed: failed to get region of bucket backups: BadRequest: Bad Request\n\tstatus code: 400/,
            /bucket backups: BadRequest: Bad Request status code: 400/,
        ],
        [
            "a wrong region",
            () => run("restore full", cluster, "--s3.region=us-east-1"),
            /^Error: create storage failed: failed to get region of bucket backups: BadRequest: Bad Request\n\tstatus code: 400/,
            /bucket backups: BadRequest: Bad Request status code: 400/,
        ],
        [
            "no such bucket",
            () => run("restore full", cluster, "--storage=s3://nobody/x"),
            /^Error: create storage failed: failed to get region of bucket nobody: NotFound: Not Found\n\tstatus code: 404/,
            /bucket nobody: NotFound: Not Found status code: 404/,
        ],
        [
            "no server",
            () => run("restore full", cluster, `--s3.endpoint=http://127.0.0.1:${closedPort}`),
            /^Error: create storage failed: failed to get region of bucket backups: RequestError: send request failed\ncaused by: dial tcp 127\.0\.0\.1:\d+: connect: connection refused/,
            /send request failed caused by: dial tcp 127\.0\.0\.1:\d+: connect: connection refused/,
        ],
        [
            "no server, for a backup",
            () => run("backup full", cluster, `--s3.endpoint=http://127.0.0.1:${closedPort}`),
            /^Error: failed to get region of bucket backups: RequestError: send request failed/,
            /caused by: dial tcp 127\.0\.0\.1:\d+: connect: connection refused/,
        ],
    ];
    refusals.forEach(([what, call, expected, told]) =>
        it(`ends as br does with ${what}, and the update says why`, async () => {
            const ended = await call();
            assert.equal(ended.code, 1);
            assert.match(ended.errors, expected);
            assert.match(toldOf(ended), told);
            assert.ok(!toldOf(ended).includes(server.key.secretKey));
        }),
    );

    it("ends as br does if the bucket is in another region", async () => {
        // S3 names the region of the bucket also in a refusal; versitygw does not.
        const elsewhere = http.createServer((_request, response) =>
            response.writeHead(400, { "x-amz-bucket-region": "eu-west-1" }).end(),
        );
        await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
        const endpoint = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
        const { errors } = await run("restore full", cluster, `--s3.endpoint=${endpoint}`);
        elsewhere.close();
        assert.equal(
            errors,
            "Error: create storage failed: s3 bucket and region are not matched, bucket=backups, input region=eu-central-1, real region=eu-west-1\n",
        );
    });

    const urls: [string, string][] = [
        ["s3://b/x?endpoint=minio", "scheme not found in endpoint"],
        ["s3://b/x?endpoint=localhost:9", "host not found in endpoint"],
        ["s3://b/x?endpoint=127.0.0.1:9", 'parse "127.0.0.1:9": first path segment in URL cannot contain colon'],
        [
            "s3://b/x?access-key=a",
            "secret_access_key not found: [BR:ExternalStorage:ErrStorageInvalidConfig]invalid external storage config",
        ],
        [
            "s3://b/x?secret_access_key=a",
            "access_key not found: [BR:ExternalStorage:ErrStorageInvalidConfig]invalid external storage config",
        ],
    ];
    urls.forEach(([url, expected]) =>
        it(`refuses ${url} as br does`, async () => {
            const { code, errors } = await stage.run(["restore", "full", "--pd", pdOf(cluster), "-s", url]);
            assert.deepEqual([code, errors], [1, `Error: ${expected}\n`]);
        }),
    );

    it("is refused by a bucket that its key may not use", async () => {
        const stranger = environmentOf(await server.createStranger());
        const ended = await runWith(stranger, "backup full", cluster);
        assert.equal(ended.code, 1);
        assert.match(ended.errors, /403/);
        assert.match(toldOf(ended), /ended with exit code 1 .*status code: 403/);
    });
});
