import * as fs from "node:fs";
import * as https from "node:https";
import axios, { type AxiosError, type AxiosInstance } from "axios";
import { addressesVariable, type ServiceAddresses } from "../../../dataPlane/serviceAddresses";
import { pdAddresses } from "../arguments/checkArguments";
import type { Values } from "../arguments/values";
import { BrError, usageError } from "../errors";
import type { Log } from "../log";

/** PD, at the first of the given addresses that answers. */
export interface PdClient {
    /** The text of an answer. Throws if PD refuses. */
    get(path: string): Promise<string>;
    post(path: string, body: object): Promise<string>;
}

const callMilliseconds = 10_000;

/**
 * Connects to PD as `--pd`, `--ca`, `--cert` and `--key` say. Throws
 * if a file is missing or no address answers. BR itself asks for minutes before it gives up.
 */
export async function connectPd(
    values: Values,
    environment: Readonly<Record<string, string | undefined>>,
    log: Log,
): Promise<PdClient> {
    const agent = readCertificates(values);
    const known = JSON.parse(environment[addressesVariable] ?? "{}") as ServiceAddresses;
    const targets = pdAddresses(values).flatMap((address) =>
        (known[address] ?? [address]).map((target) => ({ address, target })),
    );
    for (const { address, target } of targets) {
        const scheme = agent === undefined ? "http" : "https";
        const api = axios.create({
            baseURL: `${scheme}://${target}`,
            httpsAgent: agent && new https.Agent({ ...agent, servername: address.replace(/:\d+$/, "") }),
            timeout: callMilliseconds,
            responseType: "text",
            transformResponse: (text: string) => text,
            // The cluster's proxies are not for its own members.
            proxy: false,
        });
        const client = clientOf(api);
        try {
            await client.get("/pd/api/v1/version");
            return client;
        } catch (error) {
            log.warn(
                "[pd] failed to get cluster id",
                { url: `${scheme}://${address}`, error: (error as Error).message },
                "pd_service_discovery.go:841",
            );
        }
    }
    throw new BrError("[pd] failed to get cluster id");
}

function clientOf(api: AxiosInstance): PdClient {
    const call = async (method: "GET" | "POST", path: string, data?: object): Promise<string> => {
        try {
            return (await api.request<string>({ method, url: path, data })).data;
        } catch (error) {
            const { response, message } = error as AxiosError<string>;
            throw new BrError(
                response === undefined ? message : `${path}: ${response.status}: ${response.data.trim()}`,
            );
        }
    };
    return { get: (path) => call("GET", path), post: (path, body) => call("POST", path, body) };
}

/** Reads the certificates. Undefined without `--ca`, which turns TLS on. Throws BR's error if a file is missing. */
export function readCertificates(values: Values): { ca: Buffer; cert?: Buffer; key?: Buffer } | undefined {
    if (values.text("ca") === "") {
        return undefined;
    }
    const read = (flag: string, what: string): Buffer => {
        const file = values.text(flag);
        try {
            return fs.readFileSync(file);
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
                throw error;
            }
            throw usageError(`${what}open ${file}: no such file or directory`);
        }
    };
    const hasPair = values.text("cert") !== "" || values.text("key") !== "";
    const pair = hasPair && {
        cert: read("cert", "could not load client key pair: "),
        key: read("key", "could not load client key pair: "),
    };
    return { ca: read("ca", "could not read ca certificate: "), ...pair };
}
