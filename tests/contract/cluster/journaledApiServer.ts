import type { IncomingMessage, ServerResponse } from "node:http";
import { startLoopbackServer } from "./loopbackServer";

interface ConfigMap {
    metadata: { name: string; labels?: Record<string, string>; ownerReferences?: object[] };
    binaryData?: Record<string, string>;
}

/** An API server with one ConfigMap, a Lease and Events, as far as the journal uses them. */
export interface JournaledApiServer {
    readonly kubeconfig: string;
    /** The requests: `GET configmaps`, `PATCH configmaps`, `POST events`. */
    readonly requests: string[];
    /** What a request answers instead: its HTTP status, or no answer at all. */
    readonly refused: Map<string, number | "silence">;
    readonly events: Record<string, unknown>[];
    journal: ConfigMap | undefined;
    hasLease: boolean;
    /** How long each answer takes, in milliseconds. */
    delay: number;
    close(): Promise<void>;
}

/** Starts it on the loopback interface. */
export async function startJournaledApiServer(): Promise<JournaledApiServer> {
    const played: Omit<JournaledApiServer, "kubeconfig" | "close"> = {
        requests: [],
        refused: new Map(),
        events: [],
        journal: undefined,
        hasLease: true,
        delay: 0,
    };
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const { pathname } = new URL(request.url ?? "", "http://localhost");
        const kind = /\/(configmaps|leases|events)/.exec(pathname)?.[1] ?? pathname;
        const what = `${request.method} ${kind}`;
        played.requests.push(what);
        const status = played.refused.get(what);
        if (status === "silence") {
            return;
        }
        await new Promise((resolve) => setTimeout(resolve, played.delay));
        const [code, object] = status === undefined ? found(what, await bodyOf(request)) : [status, undefined];
        response.writeHead(code, { "content-type": "application/json" });
        response.end(JSON.stringify(object ?? { kind: "Status", code, message: `refused ${what}` }));
    };
    const found = (what: string, body: unknown): [number, object | undefined] => {
        switch (what) {
            case "GET configmaps":
                return [played.journal ? 200 : 404, played.journal];
            case "POST configmaps":
                played.journal = body as ConfigMap;
                return [201, played.journal];
            case "PATCH configmaps": {
                if (!played.journal) {
                    return [404, undefined];
                }
                const { binaryData = {} } = body as { binaryData?: Record<string, string | null> };
                const merged = Object.entries({ ...played.journal.binaryData, ...binaryData });
                const left = merged.filter((entry): entry is [string, string] => entry[1] !== null);
                played.journal = { ...played.journal, binaryData: Object.fromEntries(left) };
                return [200, played.journal];
            }
            case "GET leases":
                return played.hasLease
                    ? [200, { metadata: { name: "basic-pulumi-tidb", uid: "lease-1" } }]
                    : [404, undefined];
            case "POST events":
                played.events.push(body as Record<string, unknown>);
                return [201, body as object];
            default:
                return [404, undefined];
        }
    };
    const { kubeconfig, close } = await startLoopbackServer((request, response) => void answer(request, response));
    return Object.assign(played, { kubeconfig, close });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
        chunks.push(chunk as Buffer);
    }
    return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
