import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { type PdSimulator, startPdSimulator } from "pulumi-tidb-sandbox";
import type { LoggedRequest, ServersOptions } from "./playedCluster";
import { playedId, playedVersion } from "./playedObjects";
import { realJson, storeMetrics } from "./realSizes";

/** A simulated PD whose answers are as large as those of a real one, with every question counted. */
export interface PlayedPd {
    readonly simulator: PdSimulator;
    readonly clusterId: string;
    readonly requests: readonly LoggedRequest[];
    /** The loopback port that serves a pod's port: PD's client port, or TiKV's status port. */
    readonly portOf: (pod: string) => number;
}

interface Answer {
    readonly status: number;
    readonly headers: OutgoingHttpHeaders;
    readonly content: Buffer;
}

/** Starts it. It ends with the process. */
export async function startPlayedPd({ stores, repeats }: ServersOptions): Promise<PlayedPd> {
    const { namespace, cluster } = playedId;
    const simulator = await startPdSimulator({ cluster, namespace, version: playedVersion, stores });
    const about = await (await fetch(`${simulator.urls[0]}/pd/api/v1/cluster`)).text();
    const ofStores = gzipSync(storeMetrics(simulator.stores().map(({ address }) => address)));
    const requests: LoggedRequest[] = [];
    const repeated = new Map<string, Answer>();
    /** Starts a server that asks the PD at this URL. @returns its port */
    const front = async (pd: string): Promise<number> => {
        // A PD's server leaves a connection open that is not used. Node's closes it after 5 s.
        const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
            const path = request.url ?? "/";
            const question = `${request.method} ${path.replace(/\/\d+/g, "/N")}`;
            const before = request.socket.bytesWritten;
            response.on("finish", () => requests.push({ question, bytes: request.socket.bytesWritten - before }));
            const answer = async (): Promise<void> => {
                const body = await text(request);
                const key = `${request.method} ${path} ${body}`;
                const known = repeats ? repeated.get(key) : undefined;
                const { status, headers, content } = known ?? (await answerOfPd(pd, request, body, ofStores));
                repeated.set(key, { status, headers, content });
                response.writeHead(status, { ...headers, "content-length": content.length }).end(content);
            };
            answer().catch(() => response.destroy());
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        return (server.address() as AddressInfo).port;
    };
    const ports = new Map<string, number>();
    for (const { name, url } of simulator.endpoints) {
        ports.set(name, await front(url));
    }
    const portOf = (pod: string): number => ports.get(pod) ?? Number(new URL(simulator.urlOf(pod)).port);
    return { simulator, clusterId: /"id":\s*(\d+)/.exec(about)?.[1] ?? "", requests, portOf };
}

/** @param ofStores the metrics of stores, compressed. */
async function answerOfPd(pd: string, request: IncomingMessage, body: string, ofStores: Buffer): Promise<Answer> {
    const { method, url = "/", headers: asked } = request;
    const sent = asked["content-type"];
    const answer = await fetch(pd + url, {
        method,
        ...(body === "" ? {} : { body }),
        headers: sent === undefined ? {} : { "content-type": sent },
    });
    const [{ status, ok }, found, type] = [answer, await answer.text(), answer.headers.get("content-type")];
    const headers = type === null ? {} : { "content-type": type };
    if (url === "/metrics" && String(asked["accept-encoding"]).includes("gzip")) {
        const content = Buffer.concat([gzipSync(found), ofStores]);
        return { status, headers: { ...headers, "content-encoding": "gzip" }, content };
    }
    const isApi = ok && url.startsWith("/pd/api/v1/") && type?.includes("json") === true;
    return { status, headers, content: Buffer.from(isApi ? realJson(found) : found) };
}
