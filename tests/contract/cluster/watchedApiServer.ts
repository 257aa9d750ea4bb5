import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer";

type Labels = Record<string, string>;

/** An object of the played API server. */
export interface PlayedObject {
    metadata: { name: string; namespace: string; resourceVersion: string; labels?: Labels; managedFields?: object[] };
    [field: string]: unknown;
}

/** Lists and watches, as the API server answers them: a watch sends each change from a resource version on. */
export interface WatchedApiServer extends LoopbackServer {
    /** The requests: `list pods`, `watch pods from 3`. */
    readonly requests: string[];
    /** What lists and watches of this kind answer instead, by HTTP status. */
    readonly refused: Map<string, number>;
    list(kind: string): PlayedObject[];
    /** Sends an event to all watches of a kind. */
    send(kind: string, type: "ADDED" | "MODIFIED" | "DELETED" | "ERROR", object: object): void;
}

/** Starts it on the loopback interface. */
export async function startWatchedApiServer(): Promise<WatchedApiServer> {
    const objects = new Map<string, PlayedObject[]>();
    const watches = new Map<string, Set<ServerResponse>>();
    const [requests, refused] = [[] as string[], new Map<string, number>()];
    const list = (kind: string) => objects.get(kind) ?? objects.set(kind, []).get(kind)!;
    const answer = ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
        const { pathname, searchParams } = new URL(url, "http://localhost");
        const kind = pathname.split("/").at(-1) ?? "";
        const isWatch = searchParams.get("watch") === "true";
        requests.push(isWatch ? `watch ${kind} from ${searchParams.get("resourceVersion")}` : `list ${kind}`);
        const status = refused.get(`${isWatch ? "watch" : "list"} ${kind}`) ?? refused.get(kind) ?? 200;
        response.writeHead(status, { "content-type": "application/json" });
        if (status !== 200) {
            response.end(JSON.stringify({ kind: "Status", code: status, message: "refused" }));
        } else if (isWatch) {
            response.flushHeaders();
            const open = watches.get(kind) ?? watches.set(kind, new Set()).get(kind)!;
            open.add(response);
            response.on("close", () => open.delete(response));
        } else {
            response.end(JSON.stringify({ metadata: { resourceVersion: "3" }, items: list(kind) }));
        }
    };
    const server = await startLoopbackServer(answer);
    return {
        ...server,
        requests,
        refused,
        list,
        send: (kind, type, object) =>
            watches.get(kind)?.forEach((response) => response.write(`${JSON.stringify({ type, object })}\n`)),
    };
}
