import { certificateSecretNames } from "../../topology/certificateSecrets";
import { componentLabel, instanceLabel, managedByLabel, nameLabel } from "../../topology/labels";
import { clientSecretName } from "../../topology/names";
import {
    type ControllerActionKind,
    controllerRules,
    leadershipRules,
    nodeRules,
    type PolicyRule,
} from "../../topology/controllerPermissions";
import type { KubernetesObject, ObjectMetadata } from "../kubernetes/object";

/** Port of the pages for Kubernetes' probes and for Prometheus. */
const httpPort = 8080;

/** The settings of a controller as plain data. */
export interface ControllerSettings {
    readonly name: string;
    readonly namespace: string;
    readonly image: string;
    readonly clusterNamespaces: readonly string[];
    readonly clusters: Readonly<Record<string, readonly string[]>>;
    readonly tlsClusters: Readonly<Record<string, readonly string[]>>;
    readonly watchCertificates: boolean;
    readonly act: readonly ControllerActionKind[];
    readonly intervalSeconds: number;
    readonly replicas: number;
    /** Fields that Kubernetes defines; they are passed on as they are. */
    readonly resources: unknown;
    readonly imagePullSecrets?: unknown;
    readonly nodeSelector?: unknown;
    readonly tolerations?: unknown;
}

/** The objects of a controller. Roles come before the bindings that name them. */
export interface ControllerManifests {
    readonly serviceAccount: KubernetesObject;
    readonly roles: readonly KubernetesObject[];
    readonly roleBindings: readonly KubernetesObject[];
    /** Lets it read nodes. A failover and a drain need it. */
    readonly clusterRole?: KubernetesObject;
    readonly clusterRoleBinding?: KubernetesObject;
    readonly service: KubernetesObject;
    readonly deployment: KubernetesObject;
}

/** Renders a controller: a Deployment that runs `pulumi-tidb controller run`, and what it may read and change. */
export function controllerManifests(settings: ControllerSettings): ControllerManifests {
    const { name, namespace, clusterNamespaces } = settings;
    const labels = labelsOf(name);
    const metadata = (of: string = namespace, as: string = name): ObjectMetadata => ({
        name: as,
        namespace: of,
        labels,
    });
    const role = (of: string, as: string, rules: readonly PolicyRule[]): KubernetesObject => ({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: metadata(of, as),
        rules,
    });
    const roles = [
        role(namespace, leaseOf(settings), leadershipRules(leaseOf(settings))),
        ...clusterNamespaces.map((of) => role(of, name, rulesIn(of, settings))),
    ];
    return {
        serviceAccount: { apiVersion: "v1", kind: "ServiceAccount", metadata: metadata() },
        roles,
        roleBindings: roles.map((bound) => ({
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "RoleBinding",
            metadata: bound.metadata,
            subjects: [{ kind: "ServiceAccount", name, namespace }],
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: bound.metadata.name },
        })),
        ...(nodeRules(settings.act).length > 0 ? nodeReader(settings) : {}),
        service: {
            apiVersion: "v1",
            kind: "Service",
            metadata: metadata(),
            spec: {
                type: "ClusterIP",
                ports: [{ name: "http", port: httpPort, targetPort: "http" }],
                selector: labels,
            },
        },
        deployment: {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: metadata(),
            spec: {
                replicas: settings.replicas,
                selector: { matchLabels: labels },
                template: { metadata: { labels }, spec: podOf(settings) },
            },
        },
    };
}

/** Nodes belong to no namespace. The name has the namespace, because another namespace may have a controller of the same name. */
function nodeReader({
    name,
    namespace,
    act,
}: ControllerSettings): Required<Pick<ControllerManifests, "clusterRole" | "clusterRoleBinding">> {
    const metadata = { name: `${namespace}-${name}-nodes`, labels: labelsOf(name) };
    const apiGroup = "rbac.authorization.k8s.io";
    const apiVersion = `${apiGroup}/v1`;
    return {
        clusterRole: { apiVersion, kind: "ClusterRole", metadata, rules: nodeRules(act) },
        clusterRoleBinding: {
            apiVersion,
            kind: "ClusterRoleBinding",
            metadata,
            subjects: [{ kind: "ServiceAccount", name, namespace }],
            roleRef: { apiGroup, kind: "ClusterRole", name: metadata.name },
        },
    };
}

/** The Lease of its pods alone: another controller in the namespace may look after other clusters. No cluster's Lease ends so. */
function leaseOf({ name }: ControllerSettings): string {
    return `${name}-leader`;
}

function labelsOf(name: string): Record<string, string> {
    return {
        [componentLabel]: "controller",
        [instanceLabel]: name,
        [managedByLabel]: "pulumi-tidb",
        [nameLabel]: "tidb-lifecycle-controller",
    };
}

function rulesIn(
    namespace: string,
    { act, clusters, tlsClusters, watchCertificates }: ControllerSettings,
): PolicyRule[] {
    const withTls = tlsClusters[namespace] ?? [];
    const secrets: PolicyRule = {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: withTls.flatMap(watchCertificates ? certificateSecretNames : clientSecretName),
        verbs: ["get"],
    };
    return [...controllerRules(act, clusters[namespace]), ...(withTls.length > 0 ? [secrets] : [])];
}

function podOf(settings: ControllerSettings): Record<string, unknown> {
    const { name, namespace, image, clusterNamespaces, clusters, act, intervalSeconds, resources } = settings;
    const { imagePullSecrets, nodeSelector, tolerations } = settings;
    const probe = (path: string) => ({ httpGet: { path, port: "http" }, periodSeconds: 10, timeoutSeconds: 5 });
    return {
        serviceAccountName: name,
        // A sweep that has begun is finished.
        terminationGracePeriodSeconds: 60,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        ...given({ imagePullSecrets, nodeSelector, tolerations }),
        containers: [
            {
                name: "controller",
                image,
                command: ["pulumi-tidb"],
                args: [
                    "controller",
                    "run",
                    ...clusterNamespaces.flatMap((of) => ["--namespace", of]),
                    ...clusterNamespaces.flatMap((of) =>
                        (clusters[of] ?? []).flatMap((cluster) => ["--cluster", `${of}/${cluster}`]),
                    ),
                    "--lease-namespace",
                    namespace,
                    "--lease-name",
                    leaseOf(settings),
                    "--act",
                    act.length === 0 ? "none" : act.join(","),
                    "--interval",
                    String(intervalSeconds),
                    "--listen",
                    `0.0.0.0:${httpPort}`,
                ],
                ports: [{ name: "http", containerPort: httpPort }],
                livenessProbe: probe("/healthz"),
                readinessProbe: probe("/readyz"),
                resources,
                securityContext: {
                    allowPrivilegeEscalation: false,
                    readOnlyRootFilesystem: true,
                    capabilities: { drop: ["ALL"] },
                },
            },
        ],
    };
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
