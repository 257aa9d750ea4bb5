import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { type PdSimulator, startPdSimulator } from "pulumi-tidb-sandbox";
import type { ServersOptions } from "./playedCluster";
import { playedId, playedVersion } from "./playedObjects";
import { realJson, storeMetrics } from "./realSizes";
import type { RequestLog } from "./requestLog";

/** A simulated PD whose answers are as large as those of a real one, with every question counted. */
export interface PlayedPd {
    readonly simulator: PdSimulator;
    readonly clusterId: string;
    /** The loopback port that serves a pod's port: PD's client port, or TiKV's status port. */
    portOf(pod: string): number;
    /** Whether each answer is given again to the same question, so PD's own time is left out. */
    isRepeating: boolean;
}

interface Answer {
    status: number;
    headers: http.OutgoingHttpHeaders;
    body: Buffer;
}

/** Starts it. It ends with the process. */
export async function startPlayedPd({ stores, timings }: ServersOptions, log: RequestLog): Promise<PlayedPd> {
    const { namespace, cluster } = playedId;
    const simulator = await startPdSimulator({ cluster, namespace, version: playedVersion, stores, timings });
    const ofStores = gzipSync(storeMetrics(simulator.stores().map(({ address }) => address)));
    const about = await (await fetch(`${simulator.urls[0]}/pd/api/v1/cluster`)).text();
    const answerTo = async (url: string, { method, headers }: http.IncomingMessage, body: Buffer): Promise<Answer> => {
        const contentType = headers["content-type"];
        const answer = await fetch(url, {
            method,
            headers: contentType === undefined ? {} : { "content-type": contentType },
            ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
        });
        const type = answer.headers.get("content-type");
        const given = type === null ? {} : { "content-type": type };
        const text = await answer.text();
        const { pathname } = new URL(url);
        if (pathname === "/metrics" && String(headers["accept-encoding"]).includes("gzip")) {
            const both = Buffer.concat([gzipSync(text), ofStores]);
            return { status: answer.status, headers: { ...given, "content-encoding": "gzip" }, body: both };
        }
        const isApi = answer.ok && pathname.startsWith("/pd/api/v1/") && type?.includes("json") === true;
        return { status: answer.status, headers: given, body: Buffer.from(isApi ? realJson(text) : text) };
    };
    const repeated = new Map<string, Answer>();
    const front = async (url: string): Promise<number> => {
        // A PD's server leaves a connection open that is not used. Node's closes it after 5 s.
        const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
            const chunks: Buffer[] = [];
            request.on("data", (chunk: Buffer) => chunks.push(chunk));
            request.on("end", () => {
                const body = Buffer.concat(chunks);
                const path = request.url ?? "/";
                log.follow("pd", `${request.method} ${path.replace(/\/\d+/g, "/N")}`, request, response);
                const key = `${request.method} ${path} ${body.toString("utf8")}`;
                const kept = played.isRepeating ? repeated.get(key) : undefined;
                (kept ? Promise.resolve(kept) : answerTo(url + path, request, body)).then(
                    (answer) => {
                        repeated.set(key, answer);
                        const { status, headers, body: content } = answer;
                        response.writeHead(status, { ...headers, "content-length": content.length });
                        response.end(content);
                    },
                    () => response.destroy(),
                );
            });
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        return (server.address() as AddressInfo).port;
    };
    const fronts = new Map<string, number>();
    const played: PlayedPd = {
        simulator,
        clusterId: /"id":\s*(\d+)/.exec(about)?.[1] ?? "",
        isRepeating: false,
        portOf: (pod) => fronts.get(pod) ?? Number(new URL(simulator.urlOf(pod)).port),
    };
    for (const { name, url } of simulator.endpoints) {
        fronts.set(name, await front(url));
    }
    return played;
}
