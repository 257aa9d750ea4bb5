import axios from "axios";
import * as fs from "node:fs";
import * as https from "node:https";
import { addressesVariable, type ServiceAddresses } from "../dataPlane/serviceAddresses";
import { encode } from "../logBackup/protobuf";
import { encodeTask, logKeys } from "../logBackup/task";
import type { ParsedCall } from "./parseArguments";
import type { Place } from "./storage";

/** PD's API: the text of an answer. */
export type AskPd = (path: string, body?: object) => Promise<string>;

/** BR itself asks for minutes before it gives up. */
const callMilliseconds = 60_000;

/** Finds the first address of `--pd` that answers, with the certificates of `--ca`, `--cert` and `--key`. @throws BR's error if none does */
export async function connectPd({ value, values }: ParsedCall): Promise<AskPd> {
    const read = (flag: string): Buffer | undefined => {
        const file = value(flag);
        return file === undefined ? undefined : fs.readFileSync(file);
    };
    const tls = { ca: read("ca"), cert: read("cert"), key: read("key") };
    const reasons: string[] = [];
    const known = JSON.parse(process.env[addressesVariable] ?? "{}") as ServiceAddresses;
    for (const address of values("pd").flatMap((one) => one.split(","))) {
        for (const target of known[address] ?? [address]) {
            const api = axios.create({
                baseURL: `${tls.ca === undefined ? "http" : "https"}://${target}`,
                httpsAgent: new https.Agent({ ...tls, servername: address.replace(/:\d+$/, "") }),
                timeout: callMilliseconds,
                transformResponse: (text: string) => text,
                proxy: false,
                validateStatus: null,
            });
            const ask: AskPd = async (url, body) => {
                const method = body === undefined ? "GET" : "POST";
                const { status, data } = await api.request<string>({ url, data: body, method });
                if (status !== 200) {
                    throw new Error(`PD: ${url}: ${status}: ${data.trim()}`);
                }
                return data;
            };
            try {
                await ask("/pd/api/v1/version");
                return ask;
            } catch (error) {
                reasons.push(`${target}: ${(error as Error).message}`);
            }
        }
    }
    throw new Error(`[pd] failed to get cluster id: ${reasons.join("; ")}`);
}

/** @returns how `backupmeta` begins, by which retention knows the cluster: its ID and version (pingcap/kvproto brpb.proto). */
export async function beginOfMeta(pd: AskPd): Promise<Uint8Array<ArrayBuffer>> {
    const id = /"id":\s*(\d+)/.exec(await pd("/pd/api/v1/cluster"))?.[1];
    const version = (await pd("/pd/api/v1/config/cluster-version")).trim();
    return new Uint8Array(encode({ 1: BigInt(id ?? 0), 2: version }));
}

/** Whether PD has a task of this name, or any. */
export async function hasTask(pd: AskPd, name = ""): Promise<boolean> {
    const range = name === "" ? rangeOf(logKeys.tasks, true) : rangeOf(logKeys.task(name));
    return ((JSON.parse(await pd("/v3/kv/range", range)) as { kvs?: object[] }).kvs ?? []).length > 0;
}

/** Creates a task that backs up everything. */
export function putTask(pd: AskPd, name: string, place: Place): Promise<string> {
    const task = encodeTask({ name, startTs: BigInt(Date.now()) << 18n, place });
    return change(pd, put(logKeys.task(name), task), put(`${logKeys.ranges(name)}t`, Buffer.from("u")));
}

/** Deletes everything that PD keeps of a task. */
export function deleteTask(pd: AskPd, name: string): Promise<string> {
    const folders = [logKeys.ranges, logKeys.checkpoints, logKeys.lastErrors].map((of) => remove(of(name), true));
    return change(pd, remove(logKeys.task(name)), remove(logKeys.pause(name)), ...folders);
}

/** Marks a task as paused, or as running. */
export function setPaused(pd: AskPd, name: string, isPaused: boolean): Promise<string> {
    const mark = Buffer.from(JSON.stringify({ severity: "REGULAR_OPERATION", operation_hostname: "sandbox" }));
    return change(pd, isPaused ? put(logKeys.pause(name), mark) : remove(logKeys.pause(name)));
}

function change(pd: AskPd, ...success: object[]): Promise<string> {
    return pd("/v3/kv/txn", { compare: [], success, failure: [] });
}

function put(key: string, value: Buffer): object {
    return { request_put: { key: btoa(key), value: value.toString("base64") } };
}

function remove(key: string, isFolder = false): object {
    return { request_delete_range: rangeOf(key, isFolder) };
}

/** A folder's name ends in a slash, whose next character is a zero. */
function rangeOf(key: string, isFolder = false): object {
    return { key: btoa(key), ...(isFolder ? { range_end: btoa(key.replace(/\/$/, "0")) } : {}) };
}
