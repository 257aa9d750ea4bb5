import { type Answer, type Connection } from "./connection";
import { withProgramNames, withServerNames } from "./schemaFields";

/** A Kubernetes object, as JSON. */
export interface KubernetesObject {
    apiVersion: string;
    kind: string;
    metadata: {
        name?: string;
        namespace?: string;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
        generation?: number;
        uid?: string;
        [field: string]: unknown;
    };
    [field: string]: unknown;
}

/** Which object: its kind and its name. */
export interface ObjectKey {
    apiVersion: string;
    kind: string;
    name: string;
    /** Default: that of the connection. Ignored where the kind has none. */
    namespace?: string;
}

/** How an object is written. */
export interface WriteOptions {
    /** Who the written fields belong to. */
    fieldManager: string;
    /** Takes fields from other managers instead of failing. Default: false. */
    force?: boolean;
    /** The server checks and answers, and changes nothing. Default: false. */
    dryRun?: boolean;
}

/** The API server refused a call, or has no such kind. */
export class KubernetesError extends Error {
    /**
     * @param status HTTP's status code
     * @param reason the server's own word, such as `AlreadyExists`; empty where it gave none
     */
    constructor(
        readonly status: number,
        readonly reason: string,
        message: string,
    ) {
        super(message);
    }
}

/** The few calls that the provider needs, for objects of any kind. */
export interface KubernetesClient {
    /** Where objects go that name no namespace. */
    readonly namespace: string;
    /** @throws KubernetesError with status 404 when the cluster does not have the kind */
    isNamespaced(apiVersion: string, kind: string): Promise<boolean>;
    /** Undefined where it is not there. */
    get(key: ObjectKey): Promise<KubernetesObject | undefined>;
    /** @throws KubernetesError with status 409 where it is there already */
    create(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject>;
    /** Server-side apply. @throws KubernetesError with the reason `Conflict` where another manager owns a field */
    apply(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject>;
    /** `propagation`: `Foreground`, `Background` or `Orphan`. False when it was gone already. */
    delete(key: ObjectKey, propagation: string): Promise<boolean>;
}

interface ApiResource {
    name: string;
    kind: string;
    namespaced: boolean;
}

/** The client of a cluster. Which kinds there are is asked once for each API group. */
export function kubernetesClient(connection: Connection): KubernetesClient {
    const discovered = new Map<string, Promise<ApiResource[]>>();

    async function discover(apiVersion: string, kind: string): Promise<ApiResource> {
        const root = rootOf(apiVersion);
        const known = discovered.get(root) ?? connection.send("GET", root).then((answer) => listOf(answer));
        discovered.set(root, known);
        const resource = (await known).find((each) => each.kind === kind && !each.name.includes("/"));
        if (resource === undefined) {
            // Its definition may be on its way.
            discovered.delete(root);
            throw new KubernetesError(404, "NoMatch", `no matches for kind "${kind}" in version "${apiVersion}"`);
        }
        return resource;
    }

    async function pathOf(key: ObjectKey, options: { collection?: boolean } = {}): Promise<string> {
        const resource = await discover(key.apiVersion, key.kind);
        const namespace = resource.namespaced ? `/namespaces/${key.namespace ?? connection.namespace}` : "";
        return `${rootOf(key.apiVersion)}${namespace}/${resource.name}${options.collection ? "" : `/${key.name}`}`;
    }

    return {
        namespace: connection.namespace,
        isNamespaced: async (apiVersion, kind) => (await discover(apiVersion, kind)).namespaced,
        async get(key) {
            const answer = await connection.send("GET", await pathOf(key));
            return answer.status === 404 ? undefined : objectOf(answer);
        },
        async create(object, { fieldManager, dryRun }) {
            const url = await pathOf(keyOf(object), { collection: true });
            const query = { fieldManager, ...(dryRun ? { dryRun: "All" } : {}) };
            return objectOf(await connection.send("POST", url, { query, body: withServerNames(object) }));
        },
        async apply(object, { fieldManager, force, dryRun }) {
            const query = { fieldManager, force: String(force ?? false), ...(dryRun ? { dryRun: "All" } : {}) };
            const url = await pathOf(keyOf(object));
            const contentType = "application/apply-patch+yaml";
            const body = withServerNames(object);
            return objectOf(await connection.send("PATCH", url, { query, body, contentType }));
        },
        async delete(key, propagation) {
            const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: propagation };
            const answer = await connection.send("DELETE", await pathOf(key), { body });
            if (answer.status === 404) {
                return false;
            }
            objectOf(answer);
            return true;
        },
    };
}

/** The key of an object; an absent name is empty, which no object has. */
export function keyOf(object: KubernetesObject): ObjectKey {
    const { name, namespace } = object.metadata;
    return { apiVersion: object.apiVersion, kind: object.kind, name: name ?? "", namespace };
}

function rootOf(apiVersion: string): string {
    return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function listOf(answer: Answer): ApiResource[] {
    return answer.status === 404 ? [] : (objectOf(answer).resources as ApiResource[]);
}

function objectOf(answer: Answer): KubernetesObject {
    if (answer.status >= 300) {
        const message = typeof answer.body === "object" ? answer.body.message : String(answer.body);
        throw new KubernetesError(answer.status, answer.body?.reason ?? "", message ?? `HTTP ${answer.status}`);
    }
    return withProgramNames(answer.body as unknown as KubernetesObject);
}
