import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { startLoopbackServer } from "../../tests/contract/cluster/loopbackServer";
import { playPortForward } from "../../tests/support/playedPortForward";
import { componentLabel } from "../../topology/labels";

/** An object, as far as the server reads it. */
export interface ApiObject {
    metadata?: { name?: string; resourceVersion?: string; labels?: Record<string, string> };
    [field: string]: unknown;
}

/** The objects of one resource. */
interface Resource {
    readonly objects: Map<string, ApiObject>;
    /** Answers to lists, until an object changes. */
    readonly lists: Map<string, Buffer>;
    readonly watches: Set<ServerResponse>;
}

/** An API server that lists, watches, reads, creates and patches what it is given. It ends with the process. */
export interface PlayedApiServer {
    readonly kubeconfig: string;
    /** Adds an object, or replaces the one of its name, and tells watches. */
    put(resource: string, object: ApiObject): ApiObject;
}

/** The API server compresses answers from this size on (k8s.io/apiserver endpoints/handlers/responsewriters). */
const compressedFrom = 128 * 1024;
const headers = { "content-type": "application/json" };

/** Starts it on the loopback interface. @param portOf the loopback port that serves the pod's port. */
export async function startPlayedApiServer(portOf: (pod: string) => number): Promise<PlayedApiServer> {
    const resources = new Map<string, Resource>();
    let version = 2_000;
    const resourceOf = (name: string): Resource => {
        const found = resources.get(name) ?? { objects: new Map(), lists: new Map(), watches: new Set() };
        resources.set(name, found);
        return found;
    };
    const put = (resource: string, object: ApiObject): ApiObject => {
        const { objects, lists, watches } = resourceOf(resource);
        const name = object.metadata?.name ?? "";
        version += 1;
        const type = objects.has(name) ? "MODIFIED" : "ADDED";
        const metadata = { uid: `${resource}-${version}`, ...object.metadata, resourceVersion: String(version) };
        const kept = { ...object, metadata };
        objects.set(name, kept);
        lists.clear();
        const event = `${JSON.stringify({ type, object: kept })}\n`;
        watches.forEach((response) => response.write(event));
        return kept;
    };
    const list = ({ objects }: Resource, query: URLSearchParams, isPartial: boolean): string => {
        const [limit, from] = [Number(query.get("limit") ?? Infinity), Number(query.get("continue") ?? 0)];
        const found = [...objects.values()].filter(chosenBy(query));
        const items = found.slice(from, from + limit);
        const next = from + limit < found.length ? { continue: String(from + limit) } : {};
        return JSON.stringify({
            kind: isPartial ? "PartialObjectMetadataList" : "List",
            apiVersion: isPartial ? "meta.k8s.io/v1" : "v1",
            metadata: { resourceVersion: String(version), ...next },
            items: isPartial ? items.map(({ metadata }) => ({ metadata })) : items,
        });
    };
    const watch = ({ watches }: Resource, seconds: number, response: ServerResponse): void => {
        response.writeHead(200, headers).flushHeaders();
        watches.add(response);
        const end = setTimeout(() => response.end(), seconds * 1_000).unref();
        response.on("close", () => {
            clearTimeout(end);
            watches.delete(response);
        });
    };
    const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
        const { method, url = "", headers: asked } = request;
        const { pathname, searchParams } = new URL(url, "http://localhost");
        const [, name, object = ""] = /\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?/.exec(pathname) ?? [];
        const resource = resourceOf(name);
        if (searchParams.get("watch") === "true") {
            return watch(resource, Number(searchParams.get("timeoutSeconds") ?? 60), response);
        }
        if (method === "GET" && object === "") {
            const isPartial = String(asked.accept).includes("PartialObjectMetadataList");
            const key = `${url} ${asked.accept} ${asked["accept-encoding"]}`;
            const content = resource.lists.get(key) ?? packed(list(resource, searchParams, isPartial), asked);
            resource.lists.set(key, content);
            const isZipped = content[0] === 0x1f; // As gzip begins, and JSON does not.
            response.writeHead(200, { ...headers, ...(isZipped ? { "content-encoding": "gzip" } : {}) }).end(content);
            return;
        }
        const reply = (status: number, found: object): void =>
            void response.writeHead(status, headers).end(JSON.stringify(found));
        const found = resource.objects.get(object);
        if (method === "POST") {
            reply(201, put(name, JSON.parse(body) as ApiObject));
        } else if (found === undefined) {
            reply(404, { kind: "Status", code: 404, reason: "NotFound", message: `${name} "${object}" not found` });
        } else {
            reply(200, method === "PATCH" ? put(name, merged(found, JSON.parse(body) as object) as ApiObject) : found);
        }
    };
    const { kubeconfig } = await startLoopbackServer(
        (request, response) => void text(request).then((body) => answer(request, response, body)),
        (request, socket, head) => {
            const [, pod = ""] = /\/pods\/([^/]+)\/portforward/.exec(request.url ?? "") ?? [];
            playPortForward(request, socket, head, portOf(pod));
        },
    );
    return { kubeconfig, put };
}

/** Compresses a long answer if the client takes it. */
function packed(content: string, asked: IncomingMessage["headers"]): Buffer {
    const isZipped = content.length >= compressedFrom && String(asked["accept-encoding"]).includes("gzip");
    return isZipped ? gzipSync(content, { level: 1 }) : Buffer.from(content);
}

/** @returns whether the selectors of a request choose an object. */
function chosenBy(query: URLSearchParams): (object: ApiObject) => boolean {
    const selector = query.get("labelSelector") ?? "";
    const members = /component in \(([^)]*)\)/.exec(selector)?.[1].split(",");
    const wanted = [...selector.matchAll(/(?:^|,)([\w./-]+)=([\w.-]+)/g)];
    const wantedName = /metadata\.name=(.*)/.exec(query.get("fieldSelector") ?? "")?.[1];
    return ({ metadata: { name, labels = {} } = {} }) =>
        (members === undefined || members.includes(labels[componentLabel])) &&
        wanted.every(([, label, value]) => labels[label] === value) &&
        (wantedName === undefined || name === wantedName);
}

/** A merge patch (RFC 7386). */
function merged(old: object | undefined, patch: object): object {
    const fields = Object.entries(patch).map(([key, value]: [string, unknown]) => {
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        return [key, isObject ? merged((old as Record<string, object> | undefined)?.[key], value) : value];
    });
    const both = { ...old, ...(Object.fromEntries(fields) as object) };
    return Object.fromEntries(Object.entries(both).filter(([, value]) => value !== null));
}
