import * as http from "node:http";
import * as https from "node:https";
import type { Discovery } from "./discovery";
import { ownPdUrls, referencePdUrls, type PdGet } from "./pdMembers";
import { readRequest } from "./request";
import type { Settings } from "./settings";
import { verifyAddress } from "./verify";

/** The parts of the HTTP server. */
export interface DiscoveryServerParts {
    readonly settings: Settings;
    readonly discovery: Discovery;
    readonly pdGet: PdGet;
    /** Is called with one line per request. */
    readonly log: (line: string) => void;
    /** PEM texts for https. The server then requires client certificates of the same CA. Default: plain http. */
    readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** Creates the HTTP server for PD's start scripts. It does not listen yet. */
export function createDiscoveryServer(parts: DiscoveryServerParts): http.Server {
    const listener = (request: http.IncomingMessage, response: http.ServerResponse) => {
        void answer(parts, request, response).catch((error: unknown) => {
            const message = error instanceof Error ? error.message : String(error);
            send(parts, request, response, 500, message, message);
        });
    };
    return parts.tls
        ? https.createServer(
              { ...parts.tls, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.2" },
              listener,
          )
        : http.createServer(listener);
}

async function answer(parts: DiscoveryServerParts, request: http.IncomingMessage, response: http.ServerResponse) {
    const { settings, discovery, pdGet } = parts;
    const parsed = readRequest(request.method ?? "GET", request.url ?? "/", settings.name, settings.namespace);
    const reply = (status: number, body: string, note: string) => send(parts, request, response, status, body, note);
    switch (parsed.kind) {
        case "health":
            return reply(200, "ok", "");
        case "refused":
            return reply(parsed.status, parsed.message, parsed.message);
        case "new": {
            const result = await discovery.answer(parsed.request, () => response.destroyed || request.socket.destroyed);
            return result.kind === "start"
                ? reply(200, result.argument, `${parsed.request.member}: ${result.argument}`)
                : reply(500, result.reason, `${parsed.request.member} waits: ${result.reason}`);
        }
        case "verify": {
            const urls = [...ownPdUrls(settings, []), ...referencePdUrls(settings)];
            const result = await verifyAddress(parsed.url, settings, urls, pdGet);
            return result.problem === undefined
                ? reply(200, result.address, `${parsed.url}: ${result.address}`)
                : reply(500, result.address, `${parsed.url}: ${result.problem}`);
        }
    }
}

function send(
    parts: DiscoveryServerParts,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    status: number,
    body: string,
    note: string,
) {
    parts.log(`${request.method} ${request.url} -> ${status}${note ? ` ${note}` : ""}`);
    if (!response.headersSent) {
        response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    }
    response.end(body);
}
