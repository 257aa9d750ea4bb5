import type { KubeConfig, V1SubjectRulesReviewStatus } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { isDefault } from "../lifecycle/diagnosis/claims";
import type { Node } from "../lifecycle/diagnosis/objects";
import type { FoundClass } from "../lifecycle/prerequisites/missingClasses";
import { isGranted } from "../lifecycle/prerequisites/permissionsNeeded";
import type { NamespaceState } from "../lifecycle/prerequisites/namespace";
import type { Permission } from "../../topology/permissions";
import { pages, TooMany } from "./diagnosis/pages";
import { KubernetesApiError, undefinedIfNotFound, withErrorContext, withRetries } from "./apiCall";
import { apiConfiguration } from "./apiClient";
import { keptConnections } from "./keptConnections";

/** How many questions are asked side by side. */
const atOnce = 10;

/** What the user of the kubeconfig may not do. */
export interface AccessAnswer {
    /** The user as the API server knows it. */
    user: string;
    denied: Permission[];
    /** Why some of it could not be answered. */
    notKnown?: string;
}

/** Questions to the API server about the cluster's namespace and about what the user of the kubeconfig may do there. */
export interface AccessReview {
    namespaceState(): Promise<NamespaceState>;
    /** The Secrets, or ConfigMaps, that do not exist. One that may not be read, or whose answer fails, is not known to be absent. */
    absentSecrets(names: readonly string[], kind?: "configMap"): Promise<string[]>;
    /** The nodes; `undefined` if they may not be listed, are too many, or the answer fails. */
    nodes(): Promise<Node[] | undefined>;
    /** The StorageClasses of the Kubernetes cluster; `undefined` if they may not be listed, or the answer fails. */
    storageClasses(): Promise<FoundClass[] | undefined>;
    /** One call if everything is granted by RBAC; otherwise one more for each permission that is not. */
    review(permissions: readonly Permission[]): Promise<AccessAnswer>;
}

/** @returns the questions, asked with the official client. */
export function createAccessReview(config: KubeConfig, namespace: string): AccessReview {
    const server = config.getCurrentCluster()?.server ?? "unknown";
    const authentication = keptConnections(config);
    const call = <T>(what: string, request: () => Promise<T>) =>
        withRetries(() => withErrorContext(server, what, request));
    const clients = async () => {
        const client = await import("@kubernetes/client-node");
        const configuration = apiConfiguration(client, config, { authentication });
        return {
            core: new client.CoreV1Api(configuration),
            storage: new client.StorageV1Api(configuration),
            authorization: new client.AuthorizationV1Api(configuration),
            authentication: new client.AuthenticationV1Api(configuration),
            // The certificates' keys stay in the API server.
            metadataOnly: client.setHeaderOptions(
                "Accept",
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            ),
        };
    };
    type Clients = Awaited<ReturnType<typeof clients>>;

    /** The rules as RBAC lists them. The list may be incomplete, so only what it grants counts. */
    const granted = async ({ authorization }: Clients): Promise<V1SubjectRulesReviewStatus["resourceRules"]> => {
        const body = { spec: { namespace } };
        const answer = await call("list the user's permissions", () =>
            authorization.createSelfSubjectRulesReview({ body }),
        );
        return answer.status?.resourceRules ?? [];
    };
    const isAllowed = async ({ authorization }: Clients, permission: Permission): Promise<boolean> => {
        const { apiGroup: group, verb, name, isClusterWide } = permission;
        const [resource, subresource] = permission.resource.split("/");
        // A Role of the namespace grants nothing on objects that are in none.
        const where = isClusterWide ? {} : { namespace };
        const body = { spec: { resourceAttributes: { ...where, group, resource, subresource, verb, name } } };
        const answer = await call(`ask whether the user may ${verb} ${permission.resource}`, () =>
            authorization.createSelfSubjectAccessReview({ body }),
        );
        return answer.status?.allowed === true;
    };
    /** Kubernetes before 1.28 cannot tell the name: then the context names the user. */
    const userName = async ({ authentication }: Clients, otherwise: string): Promise<string> => {
        const answer = await undefinedIfNotFound(
            call("ask who the user is", () => authentication.createSelfSubjectReview({ body: {} })),
        );
        const name = answer?.status?.userInfo?.username;
        return name === undefined ? otherwise : `user ${name}`;
    };

    const listed = async <T>(list: () => Promise<T[]>): Promise<T[] | undefined> => {
        try {
            return await list();
        } catch (error) {
            // Not known is not absent.
            if (!(error instanceof TooMany)) {
                messageOf(error);
            }
            return undefined;
        }
    };

    return {
        namespaceState: async () => {
            const { core } = await clients();
            try {
                const found = await undefinedIfNotFound(
                    call(`read namespace ${namespace}`, () => core.readNamespace({ name: namespace })),
                );
                return found === undefined
                    ? "missing"
                    : found.status?.phase === "Terminating"
                      ? "terminating"
                      : "active";
            } catch (error) {
                return { notKnown: messageOf(error) };
            }
        },
        absentSecrets: async (names, kind) => {
            const { core, metadataOnly } = await clients();
            const [what, read] = kind
                ? (["ConfigMap", "readNamespacedConfigMap"] as const)
                : (["Secret", "readNamespacedSecret"] as const);
            const isAbsent = async (name: string): Promise<boolean> => {
                try {
                    const found = call<object>(`look for ${what} ${name}`, () =>
                        core[read]({ namespace, name }, metadataOnly),
                    );
                    return (await undefinedIfNotFound(found)) === undefined;
                } catch (error) {
                    // Not known is not absent.
                    messageOf(error);
                    return false;
                }
            };
            const answers = await Promise.all(names.map(isAbsent));
            return names.filter((_, index) => answers[index]);
        },
        nodes: () =>
            listed(async () => {
                const { core } = await clients();
                return pages((page) => call("list nodes", () => core.listNode(page)));
            }),
        storageClasses: () =>
            listed(async () => {
                const { storage } = await clients();
                const { items } = await call("list StorageClasses", () => storage.listStorageClass());
                return items.map((one) => ({ name: one.metadata?.name ?? "", isDefault: isDefault(one) }));
            }),
        review: async (permissions) => {
            const user = `the user of context ${config.getCurrentContext()}`;
            const denied: Permission[] = [];
            try {
                const asked = await clients();
                const rules = await granted(asked);
                const unsure = permissions.filter((one) => one.isClusterWide || !isGranted(one, rules));
                for (let first = 0; first < unsure.length; first += atOnce) {
                    const some = unsure.slice(first, first + atOnce);
                    const answers = await Promise.all(some.map((permission) => isAllowed(asked, permission)));
                    denied.push(...some.filter((_, index) => !answers[index]));
                }
                return { user: denied.length === 0 ? user : await userName(asked, user), denied };
            } catch (error) {
                return { user, denied, notKnown: messageOf(error) };
            }
        },
    };
}

/** @throws the error if it is not an answer, or no answer, of the API server. */
function messageOf(error: unknown): string {
    if (error instanceof KubernetesApiError) {
        return error.message;
    }
    throw error;
}
