import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { componentLabel } from "../../topology/labels";
import { playPortForward } from "./playedPortForward";
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

/** An API server that lists, watches, reads, creates and patches what it is given. */
export interface PlayedApiServer {
    readonly kubeconfig: string;
    /** Adds an object, or replaces the one of its name, and tells watches. */
    put(resource: string, object: ApiObject): void;
    remove(resource: string, name: string): void;
    close(): Promise<void>;
}

export interface ApiServerOptions {
    readonly log: RequestLog;
    /** The loopback port that serves the pod's port. */
    readonly portOf: (pod: string, namespace: string) => number;
    /** The namespace of the objects. Each other one has the same objects, as its own. */
    readonly namespace: string;
    /** Plays the controllers: somebody deletes a pod. */
    readonly onDelete: (pod: string) => void;
}

/** The API server compresses answers from this size on (k8s.io/apiserver endpoints/handlers/responsewriters). */
const compressedFrom = 128 * 1024;
const compressionLevel = 1;

/** Starts it on the loopback interface. */
export async function startPlayedApiServer({
    log,
    portOf,
    namespace,
    onDelete,
}: ApiServerOptions): Promise<PlayedApiServer> {
    const objects = new Map<string, Map<string, ApiObject>>();
    const watches = new Map<string, Set<http.ServerResponse>>();
    const lists = new Map<string, { resource: string; text: Buffer; zipped: Buffer }>();
    let version = 2_000;
    const all = (resource: string) => objects.get(resource) ?? objects.set(resource, new Map()).get(resource)!;
    const changed = (resource: string, type: string, object: ApiObject): void => {
        [...lists].filter(([, list]) => list.resource === resource).forEach(([key]) => lists.delete(key));
        const event = `${JSON.stringify({ type, object })}\n`;
        watches.get(resource)?.forEach((response) => {
            response.write(event);
            log.add("api", `watch ${resource}: event`, event.length);
        });
    };
    const put = (resource: string, object: ApiObject): ApiObject => {
        const name = object.metadata?.name ?? "";
        version += 1;
        const type = all(resource).has(name) ? "MODIFIED" : "ADDED";
        const kept = {
            ...object,
            metadata: { uid: `${resource}-${version}`, ...object.metadata, resourceVersion: String(version) },
        };
        all(resource).set(name, kept);
        changed(resource, type, kept);
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
        const kind = metadataOnly ? "PartialObjectMetadataList" : "List";
        const items = found.slice(from, from + limit);
        const next = from + limit < found.length ? { continue: String(from + limit) } : {};
        const given = metadataOnly ? items.map(({ metadata }) => ({ metadata })) : items;
        const text = Buffer.from(
            JSON.stringify({
                kind,
                apiVersion: metadataOnly ? "meta.k8s.io/v1" : "v1",
                metadata: { resourceVersion: String(version), ...next },
                items: given,
            }),
        );
        const entry = { resource, text, zipped: gzipSync(text, { level: compressionLevel }) };
        lists.set(key, entry);
        return entry;
    };
    const send = (
        request: http.IncomingMessage,
        response: http.ServerResponse,
        status: number,
        text: Buffer,
        zipped?: Buffer,
    ): void => {
        const isZipped =
            zipped !== undefined &&
            text.length >= compressedFrom &&
            String(request.headers["accept-encoding"]).includes("gzip");
        response.writeHead(status, {
            "content-type": "application/json",
            ...(isZipped ? { "content-encoding": "gzip" } : {}),
        });
        response.end(isZipped ? zipped : text);
    };
    const answer = (request: http.IncomingMessage, response: http.ServerResponse, body: string): void => {
        const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
        const [, asked, resource, name] = /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?/.exec(pathname) ?? [];
        const own = (text: Buffer): Buffer =>
            asked === namespace
                ? text
                : Buffer.from(text.toString("utf8").replaceAll(`"namespace":"${namespace}"`, `"namespace":"${asked}"`));
        const isWatch = searchParams.get("watch") === "true";
        const verb = isWatch
            ? "watch"
            : request.method === "GET" && name === undefined
              ? "list"
              : String(request.method);
        const reply = (status: number, object: object) =>
            send(request, response, status, own(Buffer.from(JSON.stringify(object))));
        const found = all(resource).get(name ?? "");
        if (isWatch) {
            log.add("api", `watch ${resource}`, 0);
            response.writeHead(200, { "content-type": "application/json" });
            response.flushHeaders();
            const open = watches.get(resource) ?? watches.set(resource, new Set()).get(resource)!;
            open.add(response);
            const end = setTimeout(
                () => response.end(),
                Number(searchParams.get("timeoutSeconds") ?? 60) * 1_000,
            ).unref();
            response.on("close", () => {
                clearTimeout(end);
                open.delete(response);
            });
            return;
        }
        log.follow("api", `${verb} ${resource}`, request, response);
        if (verb === "list") {
            const { text, zipped } = list(
                resource,
                searchParams,
                String(request.headers.accept).includes("PartialObjectMetadataList"),
            );
            return asked === namespace
                ? send(request, response, 200, text, zipped)
                : send(request, response, 200, own(text));
        }
        if (verb === "POST") {
            return reply(201, put(resource, JSON.parse(body) as ApiObject));
        }
        if (found === undefined) {
            return reply(404, {
                kind: "Status",
                code: 404,
                reason: "NotFound",
                message: `${resource} "${name}" not found`,
            });
        }
        if (verb === "PATCH") {
            const patch = JSON.parse(body) as ApiObject;
            const wanted = patch.metadata?.resourceVersion;
            const isStale = wanted !== undefined && wanted !== found.metadata?.resourceVersion;
            return isStale
                ? reply(409, { kind: "Status", code: 409, reason: "Conflict", message: "the object has been modified" })
                : reply(200, put(resource, merged(found, patch) as ApiObject));
        }
        if (verb === "DELETE" && name !== undefined) {
            reply(200, found);
            return onDelete(name);
        }
        reply(200, found);
    };
    const server = http.createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => answer(request, response, Buffer.concat(chunks).toString("utf8")));
    });
    const forwarded = new Set<Socket>();
    server.on("upgrade", (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
        const [, asked = "", pod = ""] =
            /\/namespaces\/([^/]+)\/pods\/([^/]+)\/portforward/.exec(request.url ?? "") ?? [];
        const { searchParams } = new URL(request.url ?? "", "http://localhost");
        log.add("api", `open a port-forward to port ${searchParams.get("ports")}`, 0);
        forwarded.add(socket);
        socket.on("close", () => forwarded.delete(socket));
        playPortForward(request, socket, head, portOf(pod, asked));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        kubeconfig: kubeconfigOf((server.address() as AddressInfo).port),
        put,
        remove: (resource, name) => {
            const object = all(resource).get(name);
            all(resource).delete(name);
            version += 1;
            changed(resource, "DELETED", {
                ...object,
                metadata: { ...object?.metadata, resourceVersion: String(version) },
            });
        },
        close: () => {
            forwarded.forEach((socket) => socket.destroy());
            server.closeAllConnections();
            return new Promise<void>((resolve) => server.close(() => resolve()));
        },
    };
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
