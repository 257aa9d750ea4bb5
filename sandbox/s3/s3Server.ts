import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { AwsClient } from "aws4fetch";
import { loopback } from "../controlPlane/arguments";
import type { Layout } from "../controlPlane/layout";
import { makeFolder } from "../controlPlane/makeFolder";
import { findFreePorts } from "../controlPlane/ports";
import { lastLinesOf, runProgram, type RunningProgram } from "../controlPlane/programRunner";
import { provideS3Program } from "../controlPlane/programs/provide";
import { BootTimeoutError, createAsker, ProgramEndedError, waitUntil } from "../controlPlane/readiness";

const run = promisify(execFile);
const attempts = 5;
const bootMilliseconds = 30_000;
const healthPath = "/healthz";

/** A key of S3. */
export interface S3Key {
    readonly accessKey: string;
    readonly secretKey: string;
}

/** Options of a server of S3. */
export interface S3Options {
    /** The region that it says it is in, and for which calls must be signed. Default: `us-east-1`. */
    region?: string;
}

/** A real server of S3 (versitygw) on a loopback port. It checks signatures: a wrong key, secret, token or region is refused. */
export interface S3Server {
    /** The URL, which clients use with the bucket in the path. */
    readonly endpoint: string;
    readonly region: string;
    /** The key of the owner of all buckets. */
    readonly key: S3Key;
    readonly processId: number;
    createBucket(name: string): Promise<void>;
    /** Makes a key that is valid, and may use no bucket. */
    createStranger(): Promise<S3Key>;
    /** Kills the server, and starts it again with its data and its port after a while. */
    interrupt(downMilliseconds: number): Promise<void>;
    /** Kills the server. Its data stays until its folder is removed. */
    stop(): Promise<void>;
}

/** Starts a server in a folder with the given layout. Whoever watches the folder ends it if this process is killed. */
export async function startS3(
    layout: Layout,
    options: S3Options & { log: (line: string) => void; environment?: Record<string, string | undefined> },
): Promise<S3Server> {
    const file = await provideS3Program(options);
    const { region = "us-east-1" } = options;
    const key = newKey();
    const folders = ["data", "metadata", "users"].map((name) => path.join(layout.folder, "s3", name));
    folders.forEach((folder) => makeFolder(folder, 0o700));
    const { program, endpoint } = await boot(file, layout, region, key, folders);
    const client = new AwsClient({
        accessKeyId: key.accessKey,
        secretAccessKey: key.secretKey,
        service: "s3",
        region,
        retries: 0,
    });
    return {
        endpoint,
        region,
        key,
        get processId() {
            return program.processId;
        },
        createBucket: async (name) => {
            const answer = await client.fetch(`${endpoint}/${name}`, { method: "PUT" });
            if (!answer.ok) {
                throw new Error(`cannot create the bucket ${name}: ${answer.status}: ${await answer.text()}`);
            }
        },
        createStranger: async () => {
            const stranger = newKey();
            const names = ["--access", stranger.accessKey, "--secret", stranger.secretKey, "--role", "user"];
            const owner = { ADMIN_ACCESS_KEY_ID: key.accessKey, ADMIN_SECRET_ACCESS_KEY: key.secretKey };
            const env = { ...process.env, ...owner, ADMIN_ENDPOINT_URL: endpoint, ADMIN_REGION: region };
            await run(file, ["admin", "create-user", ...names], { env });
            return stranger;
        },
        interrupt: async (downMilliseconds) => {
            await program.restart(downMilliseconds);
            await waitForAnswer(program, layout, endpoint);
        },
        stop: () => program.stop(),
    };
}

async function boot(
    file: string,
    layout: Layout,
    region: string,
    { accessKey, secretKey }: S3Key,
    [data, metadata, users]: string[],
): Promise<{ program: RunningProgram; endpoint: string }> {
    for (let attempt = 1; ; attempt++) {
        const [port] = await findFreePorts(1);
        const address = `${loopback}:${port}`;
        const access = ["--access", accessKey, "--secret", secretKey, "--iam-dir", users, "--iam-cache-disable"];
        const server = ["--port", address, "--region", region, "--health", healthPath, "--quiet"];
        const args = [...server, ...access, "posix", "--sidecar", metadata, data];
        fs.rmSync(path.join(layout.logs, "versitygw.log"), { force: true });
        const program = runProgram("versitygw", file, args, layout);
        try {
            await waitForAnswer(program, layout, `http://${address}`);
            return { program, endpoint: `http://${address}` };
        } catch (error) {
            await program.stop();
            if (!(error instanceof ProgramEndedError && error.portInUse) || attempt === attempts) {
                throw error;
            }
        }
    }
}

async function waitForAnswer(program: RunningProgram, layout: Layout, endpoint: string): Promise<void> {
    const asker = createAsker(endpoint);
    const log = path.join(layout.logs, "versitygw.log");
    try {
        await waitUntil({
            step: "the S3 server to answer",
            programs: [program],
            deadline: Date.now() + bootMilliseconds,
            isReady: () => asker.isOk(healthPath),
            timeout: (step) => new BootTimeoutError(step, bootMilliseconds, log, lastLinesOf(log)),
        });
    } finally {
        asker.close();
    }
}

function newKey(): S3Key {
    return { accessKey: randomBytes(10).toString("hex").toUpperCase(), secretKey: randomBytes(20).toString("hex") };
}
