import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { componentLabel } from "../../topology/labels";
import { playPortForward } from "../../tests/support/playedPortForward";
import type { RequestLog } from "./requestLog";

/** An object, as far as the server reads it. */
export interface ApiObject {
    apiVersion?: string;
    kind?: string;
    metadata?: {
        name?: string;
        uid?: string;
        resourceVersion?: string;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
    };
    [field: string]: unknown;
}

/** An API server that lists, watches, reads, creates and patches what it is given. It ends with the process. */
export interface PlayedApiServer {
    readonly kubeconfig: string;
    /** Adds an object, or replaces the one of its name, and tells watches. */
    put(resource: string, object: ApiObject): ApiObject;
}

/** The API server compresses answers from this size on (k8s.io/apiserver endpoints/handlers/responsewriters). */
const compressedFrom = 128 * 1024;

/** Starts it on the loopback interface. @param portOf the loopback port that serves the pod's port. */
export async function startPlayedApiServer(log: RequestLog, portOf: (pod: string) => number): Promise<PlayedApiServer> {
    const objects = new Map<string, Map<string, ApiObject>>();
    const watches = new Map<string, Set<http.ServerResponse>>();
    const lists = new Map<string, { resource: string; text: Buffer; zipped: Buffer }>();
    let version = 2_000;
    const all = (resource: string) => objects.get(resource) ?? objects.set(resource, new Map()).get(resource)!;
    const put = (resource: string, object: ApiObject): ApiObject => {
        const name = object.metadata?.name ?? "";
        version += 1;
        const type = all(resource).has(name) ? "MODIFIED" : "ADDED";
        const metadata = { uid: `${resource}-${version}`, ...object.metadata, resourceVersion: String(version) };
        const kept = { ...object, metadata };
        all(resource).set(name, kept);
        [...lists].filter(([, list]) => list.resource === resource).forEach(([key]) => lists.delete(key));
        const event = `${JSON.stringify({ type, object: kept })}\n`;
        watches.get(resource)?.forEach((response) => {
            response.write(event);
            log.add("api", `watch ${resource}: event`, event.length);
        });
        return kept;
    };
    const list = (resource: string, query: URLSearchParams, metadataOnly: boolean) => {
        const [labelSelector, fieldSelector] = [query.get("labelSelector") ?? "", query.get("fieldSelector") ?? ""];
        const [limit, from] = [Number(query.get("limit") ?? Infinity), Number(query.get("continue") ?? 0)];
        const key = [resource, labelSelector, fieldSelector, metadataOnly, limit, from].join(" ");
        const made = lists.get(key);
        if (made) {
            return made;
        }
        const members = /component in \(([^)]*)\)/.exec(labelSelector)?.[1].split(",");
        const labels = [...labelSelector.matchAll(/(?:^|,)([\w./-]+)=([\w.-]+)/g)];
        const name = /metadata\.name=(.*)/.exec(fieldSelector)?.[1];
        const found = [...all(resource).values()].filter(
            ({ metadata }) =>
                (members === undefined || members.includes(metadata?.labels?.[componentLabel] ?? "")) &&
                labels.every(([, label, value]) => metadata?.labels?.[label] === value) &&
                (name === undefined || metadata?.name === name),
        );
        const items = found.slice(from, from + limit);
        const next = from + limit < found.length ? { continue: String(from + limit) } : {};
        const text = Buffer.from(
            JSON.stringify({
                kind: metadataOnly ? "PartialObjectMetadataList" : "List",
                apiVersion: metadataOnly ? "meta.k8s.io/v1" : "v1",
                metadata: { resourceVersion: String(version), ...next },
                items: metadataOnly ? items.map(({ metadata }) => ({ metadata })) : items,
            }),
        );
        const entry = { resource, text, zipped: gzipSync(text, { level: 1 }) };
        lists.set(key, entry);
        return entry;
    };
    const watch = (resource: string, seconds: number, response: http.ServerResponse): void => {
        log.add("api", `watch ${resource}`, 0);
        response.writeHead(200, { "content-type": "application/json" });
        response.flushHeaders();
        const open = watches.get(resource) ?? watches.set(resource, new Set()).get(resource)!;
        open.add(response);
        const end = setTimeout(() => response.end(), seconds * 1_000).unref();
        response.on("close", () => {
            clearTimeout(end);
            open.delete(response);
        });
    };
    const answer = (request: http.IncomingMessage, response: http.ServerResponse, body: string): void => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
        const [, resource, name] = /\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?/.exec(pathname) ?? [];
        if (searchParams.get("watch") === "true") {
            return watch(resource, Number(searchParams.get("timeoutSeconds") ?? 60), response);
        }
        const isList = request.method === "GET" && name === undefined;
        log.follow("api", `${isList ? "list" : request.method} ${resource}`, request, response);
        const headers = { "content-type": "application/json" };
        if (isList) {
            const isPartial = String(request.headers.accept).includes("PartialObjectMetadataList");
            const { text, zipped } = list(resource, searchParams, isPartial);
            const takesGzip = String(request.headers["accept-encoding"]).includes("gzip");
            const isZipped = takesGzip && text.length >= compressedFrom;
            response.writeHead(200, { ...headers, ...(isZipped ? { "content-encoding": "gzip" } : {}) });
            response.end(isZipped ? zipped : text);
            return;
        }
        const reply = (status: number, object: object): void => {
            response.writeHead(status, headers);
            response.end(JSON.stringify(object));
        };
        const refuse = (code: number, reason: string): void =>
            reply(code, { kind: "Status", code, reason, message: `${resource} "${name}": ${reason}` });
        const found = all(resource).get(name ?? "");
        if (request.method === "POST") {
            reply(201, put(resource, JSON.parse(body) as ApiObject));
        } else if (found === undefined) {
            refuse(404, "NotFound");
        } else if (request.method === "PATCH") {
            const patch = JSON.parse(body) as ApiObject;
            const wanted = patch.metadata?.resourceVersion;
            const isStale = wanted !== undefined && wanted !== found.metadata?.resourceVersion;
            return isStale ? refuse(409, "Conflict") : reply(200, put(resource, merged(found, patch) as ApiObject));
        } else {
            reply(200, found);
        }
    };
    const server = http.createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => answer(request, response, Buffer.concat(chunks).toString("utf8")));
    });
    server.on("upgrade", (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
        const [, pod = ""] = /\/pods\/([^/]+)\/portforward/.exec(pathname) ?? [];
        log.add("api", `open a port-forward to port ${searchParams.get("ports")}`, 0);
        playPortForward(request, socket, head, portOf(pod));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { kubeconfig: kubeconfigOf((server.address() as AddressInfo).port), put };
}

/** A merge patch (RFC 7386). */
function merged(value: unknown, patch: unknown): unknown {
    if (typeof patch !== "object" || patch === null || Array.isArray(patch)) {
        return patch;
    }
    const result = { ...(value as Record<string, unknown> | undefined) };
    for (const [key, field] of Object.entries(patch)) {
        if (field === null) {
            delete result[key];
        } else {
            result[key] = merged(result[key], field);
        }
    }
    return result;
}

function kubeconfigOf(port: number): string {
    const one = {
        name: "one",
        cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true },
        user: {},
        context: { cluster: "one", user: "one" },
    };
    const lists = { clusters: [one], users: [one], contexts: [one], "current-context": "one" };
    return JSON.stringify({ apiVersion: "v1", kind: "Config", ...lists });
}
