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

/** Identifies an object by its kind and name. */
export interface ObjectKey {
    apiVersion: string;
    kind: string;
    name: string;
    /** Default: the namespace of the connection. Ignored for kinds without namespaces. */
    namespace?: string;
}

/** How to write an object. */
export interface WriteOptions {
    /** The field manager that owns the written fields. */
    fieldManager: string;
    /** Whether to take over fields from other managers instead of failing. Default: false. */
    force?: boolean;
    /** Whether the server only validates the write, without changing anything. Default: false. */
    dryRun?: boolean;
}

/** The API server rejected a call or does not have the kind. */
export class KubernetesError extends Error {
    /**
     * @param status the HTTP status code
     * @param reason the server's reason, such as `AlreadyExists`; empty if it gave none
     */
    constructor(
        readonly status: number,
        readonly reason: string,
        message: string,
    ) {
        super(message);
    }
}

/** The calls that the provider needs, for objects of any kind. */
export interface KubernetesClient {
    /** The namespace of objects that do not name one. */
    readonly namespace: string;
    /**
     * Whether the kind has namespaces. @throws KubernetesError with status 404 if the cluster does not have the kind
     */
    isNamespaced(apiVersion: string, kind: string): Promise<boolean>;
    /** Reads an object. Undefined if it does not exist. */
    get(key: ObjectKey): Promise<KubernetesObject | undefined>;
    /** Creates an object. @throws KubernetesError with status 409 if it already exists */
    create(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject>;
    /** Replaces the list of who owns which fields of an object. */
    setManagedFields(key: ObjectKey, managedFields: readonly unknown[]): Promise<KubernetesObject>;
    /** Server-side apply. @throws KubernetesError with the reason `Conflict` if another manager owns a field */
    apply(object: KubernetesObject, options: WriteOptions): Promise<KubernetesObject>;
    /**
     * Deletes an object. `propagation` is `Foreground`, `Background` or `Orphan`. Returns false if it was already gone.
     */
    delete(key: ObjectKey, propagation: string): Promise<boolean>;
}

interface ApiResource {
    name: string;
    kind: string;
    namespaced: boolean;
}

/** Creates the client of a cluster. The kinds of each API group are requested only once. */
export function kubernetesClient(connection: Connection): KubernetesClient {
    const discovered = new Map<string, Promise<ApiResource[]>>();

    async function discover(apiVersion: string, kind: string): Promise<ApiResource> {
        const root = rootOf(apiVersion);
        const known = discovered.get(root) ?? connection.send("GET", root).then((answer) => listOf(answer));
        discovered.set(root, known);
        const resource = (await known).find((each) => each.kind === kind && !each.name.includes("/"));
        if (resource === undefined) {
            // The definition of the kind may still be on its way.
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
        async setManagedFields(key, value) {
            const body = [{ op: "replace", path: "/metadata/managedFields", value }];
            const contentType = "application/json-patch+json";
            return objectOf(await connection.send("PATCH", await pathOf(key), { body, contentType }));
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

/** The key of an object. An absent name becomes an empty one, which no object has. */
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
