import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { AwsClient } from "aws4fetch";
import { type OwnS3Server, startS3Server } from "pulumi-tidb-sandbox";

const buildMilliseconds = 600_000;

describe("the server of S3", () => {
    let folder: string;
    let server: OwnS3Server;

    before(async function () {
        this.timeout(buildMilliseconds);
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-s3-"));
        server = await startS3Server({ folder: path.join(folder, "server"), log: console.log, region: "eu-central-1" });
        await server.createBucket("backups");
    });
    after(async () => {
        await server.down();
        await server.down();
        assert.deepEqual(fs.readdirSync(folder), []);
        fs.rmSync(folder, { recursive: true });
    });

    const call = async (
        changes: Partial<ConstructorParameters<typeof AwsClient>[0]> = {},
        init: RequestInit = {},
    ): Promise<string> => {
        const client = new AwsClient({
            accessKeyId: server.key.accessKey,
            secretAccessKey: server.key.secretKey,
            service: "s3",
            region: server.region,
            retries: 0,
            ...changes,
        });
        const answer = await client.fetch(`${server.endpoint}/backups/a/file`, init);
        const text = await answer.text();
        return `${answer.status} ${/<Code>(\w+)</.exec(text)?.[1] ?? text}`;
    };

    it("keeps what is written with its key, also when it is killed and started again", async () => {
        assert.equal(await call(), "404 NoSuchKey");
        assert.equal(await call({}, { method: "PUT", body: "content" }), "200 ");
        const { processId } = server;
        await server.interrupt(50);
        assert.notEqual(server.processId, processId);
        assert.equal(await call(), "200 content");
    });

    it("refuses a wrong key, secret, token and region, and a call without a key", async () => {
        assert.match(await call({ accessKeyId: "AKIAUNKNOWN" }), /^40[34] /);
        assert.equal(await call({ secretAccessKey: "wrong" }), "403 SignatureDoesNotMatch");
        assert.equal(await call({ sessionToken: "made up" }), "400 InvalidToken");
        assert.equal(await call({ region: "us-east-1" }), "400 AuthorizationHeaderMalformed");
        assert.equal((await fetch(`${server.endpoint}/backups/a/file`)).status, 403);
    });

    it("refuses a valid key that may not use the bucket", async () => {
        const { accessKey, secretKey } = await server.createStranger();
        const stranger = { accessKeyId: accessKey, secretAccessKey: secretKey };
        assert.equal(await call(stranger, { method: "PUT", body: "content" }), "403 AccessDenied");
        assert.equal(await call(stranger), "403 AccessDenied");
    });
});
