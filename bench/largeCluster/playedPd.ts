import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { type PdSimulator, startPdSimulator } from "pulumi-tidb-sandbox";
import { realJson, storeMetrics } from "./realSizes";
import { playedId, playedVersion } from "./playedObjects";
import type { RequestLog } from "./requestLog";
import type { ServersOptions } from "./playedCluster";

/** A simulated PD whose answers are as large as those of a real one, with every question counted. */
export interface PlayedPd {
    readonly simulator: PdSimulator;
    readonly clusterId: string;
    /** The loopback port that serves a pod's port: PD's client port, or TiKV's status port. */
    portOf(pod: string, namespace: string): number;
    /** Whether each answer is given again to the same question, so PD's own time is left out. */
    isRepeating: boolean;
    close(): Promise<void>;
}

interface Answer {
    status: number;
    headers: http.OutgoingHttpHeaders;
    body: Buffer;
}

/** A PD's server leaves a connection open that is not used. Node's closes it after 5 s. */
const asGo: http.ServerOptions = { keepAliveTimeout: 0 };

/** Starts it. */
export async function startPlayedPd(
    { stores, timings, namespaces = 0 }: ServersOptions,
    log: RequestLog,
): Promise<PlayedPd> {
    const simulator = await startPdSimulator({
        cluster: playedId.cluster,
        namespace: playedId.namespace,
        version: playedVersion,
        stores,
        timings,
    });
    const addresses = simulator.stores().map(({ address }) => address);
    const ofStores = gzipSync(storeMetrics(addresses));
    const repeated = new Map<string, Answer>();
    const played: PlayedPd = {
        simulator,
        clusterId:
            /"id":\s*(\d+)/.exec(await (await fetch(`${simulator.urls[0]}/pd/api/v1/cluster`)).text())?.[1] ?? "",
        isRepeating: false,
        portOf: (pod) => Number(new URL(simulator.urlOf(pod)).port),
        close: () => Promise.resolve(),
    };
    const answerTo = async (
        url: string,
        { method = "GET", headers }: http.IncomingMessage,
        path: string,
        body: Buffer,
    ): Promise<Answer> => {
        const answer = await fetch(`${url}${path}`, {
            method,
            headers: headers["content-type"] === undefined ? {} : { "content-type": headers["content-type"] },
            ...(body.length === 0 ? {} : { body }),
        });
        const type = answer.headers.get("content-type") ?? undefined;
        const text = await answer.text();
        const given = type === undefined ? {} : { "content-type": type };
        if (path === "/metrics" && String(headers["accept-encoding"]).includes("gzip")) {
            return {
                status: answer.status,
                headers: { ...given, "content-encoding": "gzip" },
                body: Buffer.concat([gzipSync(text), ofStores]),
            };
        }
        const isApi = answer.ok && path.startsWith("/pd/api/v1/") && type?.includes("json") === true;
        return { status: answer.status, headers: given, body: Buffer.from(isApi ? realJson(text) : text) };
    };
    /** A front answers as PD of one namespace. */
    const places = [playedId.namespace, ...Array.from({ length: namespaces }, (_, index) => `tidb-${index}`)];
    const asIn = (namespace: string, { body, ...answer }: Answer): Answer => ({
        ...answer,
        body:
            namespace === playedId.namespace || answer.headers["content-encoding"] !== undefined
                ? body
                : Buffer.from(body.toString("utf8").replaceAll(`.${playedId.namespace}.svc`, `.${namespace}.svc`)),
    });
    const endpoints = places.flatMap((namespace) => simulator.endpoints.map((one) => ({ ...one, namespace })));
    const fronts = await Promise.all(
        endpoints.map(async ({ name, url, namespace }) => {
            const server = http.createServer(asGo, (request, response) => {
                const chunks: Buffer[] = [];
                request.on("data", (chunk: Buffer) => chunks.push(chunk));
                request.on("end", () => {
                    const body = Buffer.concat(chunks);
                    const path = request.url ?? "/";
                    log.follow("pd", `${request.method} ${path.replace(/\/\d+/g, "/N")}`, request, response);
                    const key = `${request.method} ${path} ${body.toString("utf8")}`;
                    const kept = played.isRepeating ? repeated.get(key) : undefined;
                    const given = kept ? Promise.resolve(kept) : answerTo(url, request, path, body);
                    given.then(
                        (given) => {
                            repeated.set(key, given);
                            const answer = asIn(namespace, given);
                            response.writeHead(answer.status, {
                                ...answer.headers,
                                "content-length": answer.body.length,
                            });
                            response.end(answer.body);
                        },
                        () => response.destroy(),
                    );
                });
            });
            await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
            return { name, namespace, server, port: (server.address() as AddressInfo).port };
        }),
    );
    played.portOf = (pod, asked) =>
        fronts.find(({ name, namespace }) => name === pod && namespace === asked)?.port ??
        Number(new URL(simulator.urlOf(pod)).port);
    played.close = async () => {
        fronts.forEach(({ server }) => {
            server.closeAllConnections();
            server.close();
        });
        await simulator.stop();
    };
    return played;
}
