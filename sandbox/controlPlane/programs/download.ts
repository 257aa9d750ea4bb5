import axios from "axios";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { checksumFor, type Program, type Release } from "./catalogue";

const run = promisify(execFile);

/**
 * How long a server may take to start its answer. It is short because every start without a network waits this long.
 */
const answerMilliseconds = 3000;
/** How long a download may receive no data. */
const stallMilliseconds = 20_000;

/**
 * Downloads a released program into `folder` and returns its path there. Throws if the server does not answer within
 * seconds or the SHA-256 sum is not the published one.
 */
export async function downloadProgram(
    program: Program,
    release: Release,
    folder: string,
    log: (line: string) => void,
): Promise<string> {
    const fileName = path.basename(new URL(release.url).pathname);
    const fetched = path.join(folder, `${program.name}.download`);
    const expected =
        release.checksumUrl === undefined ? undefined : checksumFor(await fetchText(release.checksumUrl), fileName);
    if (release.checksumUrl !== undefined && expected === undefined) {
        throw new Error(`${release.checksumUrl} lists no SHA-256 sum for ${fileName}`);
    }
    log(`downloading ${release.url}`);
    const sum = await fetchFile(release.url, fetched);
    if (expected !== undefined && sum !== expected) {
        throw new Error(
            `${release.url} has SHA-256 ${sum}, but ${release.checksumUrl} lists ${expected}; the file is not used`,
        );
    }
    if (release.archiveMember === undefined) {
        await fs.chmod(fetched, 0o755);
        return fetched;
    }
    await run("tar", ["-xzf", fetched, "-C", folder, release.archiveMember]);
    await fs.rm(fetched);
    return path.join(folder, release.archiveMember);
}

async function fetchText(url: string): Promise<string> {
    const answer = await open(url);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) {
        chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks).toString("utf8");
}

async function fetchFile(url: string, file: string): Promise<string> {
    const answer = await open(url);
    const hash = createHash("sha256");
    let stalled: NodeJS.Timeout | undefined;
    const watch = (): void => {
        clearTimeout(stalled);
        stalled = setTimeout(
            () => answer.destroy(new Error(`${url} sent nothing for ${stallMilliseconds / 1000} s`)),
            stallMilliseconds,
        );
    };
    watch();
    answer.on("data", (chunk: Buffer) => {
        hash.update(chunk);
        watch();
    });
    try {
        await pipeline(answer, createWriteStream(file));
    } finally {
        clearTimeout(stalled);
    }
    return hash.digest("hex");
}

async function open(url: string): Promise<Readable> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), answerMilliseconds);
    try {
        const answer = await axios.get<Readable>(url, { responseType: "stream", signal: giveUp.signal });
        return answer.data;
    } catch (error) {
        const problem = axios.isCancel(error)
            ? `no answer within ${answerMilliseconds / 1000} s`
            : axios.isAxiosError(error)
              ? (error.code ?? error.message)
              : String(error);
        throw new Error(`${url}: ${problem}`, { cause: error });
    } finally {
        clearTimeout(timer);
    }
}
