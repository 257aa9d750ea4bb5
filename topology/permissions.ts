import { components, topology } from "./members";
import {
    clientSecretName,
    journalName,
    memberSecretName,
    passwordSecretName,
    sqlClientSecretName,
    sqlServerSecretName,
} from "./names";

/** When a permission is needed. `update`: not in a first deployment. `restart`: when pods stop. `volumes`: when the number of pods changes. `suspend`: when a member is suspended. */
type Need = "always" | "update" | "restart" | "volumes" | "suspend";

/** What a cluster must have for a permission to be needed. */
export type Trait =
    "tls" | "password" | "ticdc" | "discovery" | "online" | "budgets" | "lost-nodes" | "backup" | "reclaim-policy";

interface Rule {
    readonly apiGroup: string;
    readonly resources: readonly string[];
    readonly verbs: Readonly<Partial<Record<Need, readonly string[]>>>;
    /** Verbs that the gates use. Default: all. The others are used only by the Kubernetes provider. */
    readonly byGates?: readonly string[];
    /** Only in clusters with this trait. Default: in every cluster. */
    readonly trait?: Trait;
    /** Whether the objects are of no namespace, so a ClusterRole must grant it. Default: false. */
    readonly isClusterWide?: true;
    /** @returns the only object that the permission is for. Default: every object. */
    readonly nameOf?: (cluster: string) => string;
    /** Whether it only lets the gates write the journal and Events, without which everything else goes on. Default: false. */
    readonly isForJournal?: true;
}

const read = ["get", "list", "watch"];
const written = { always: [...read, "create", "patch"], update: ["delete"] };
const byProvider = { verbs: written, byGates: [] };

/**
 * The permissions that a user needs in the cluster's namespace, and beyond it. The documentation shows them as a Role and a ClusterRole, and a test
 * compares them. The preview checks them (`provider/gates/prerequisites.ts`).
 */
const rules: readonly Rule[] = [
    { apiGroup: "", resources: ["services", "configmaps"], ...byProvider },
    { apiGroup: "", resources: ["serviceaccounts"], ...byProvider, trait: "discovery" },
    { apiGroup: "apps", resources: ["deployments"], ...byProvider, trait: "discovery" },
    { apiGroup: "apps", resources: ["statefulsets"], verbs: written, byGates: ["get"] },
    { apiGroup: "apps", resources: ["statefulsets"], verbs: { suspend: ["delete"] } },
    { apiGroup: "apps", resources: ["statefulsets/scale"], verbs: { volumes: ["patch"] } },
    { apiGroup: "rbac.authorization.k8s.io", resources: ["roles", "rolebindings"], ...byProvider, trait: "discovery" },
    { apiGroup: "coordination.k8s.io", resources: ["leases"], verbs: written, byGates: ["get", "patch"] },
    { apiGroup: "policy", resources: ["poddisruptionbudgets"], ...byProvider, trait: "budgets" },
    { apiGroup: "apps", resources: ["replicasets"], verbs: { always: read }, byGates: [], trait: "discovery" },
    {
        apiGroup: "",
        resources: ["pods"],
        verbs: { always: read, restart: ["delete"] },
        byGates: ["get", "list", "delete"],
    },
    { apiGroup: "", resources: ["pods"], verbs: { restart: ["patch"] }, trait: "ticdc" },
    {
        apiGroup: "",
        resources: ["persistentvolumeclaims"],
        verbs: { always: [...read, "patch"], volumes: ["delete"] },
        byGates: ["list", "patch", "delete"],
    },
    // Of a pod whose node is gone: the claim names its volume.
    { apiGroup: "", resources: ["persistentvolumeclaims"], verbs: { always: ["get", "delete"] }, trait: "lost-nodes" },
    { apiGroup: "", resources: ["pods"], verbs: { always: ["delete"] }, trait: "lost-nodes" },
    // The backup before an upgrade or a destroy is a Job that a gate creates.
    { apiGroup: "batch", resources: ["jobs"], verbs: { always: ["get", "list", "create"] }, trait: "backup" },
    { apiGroup: "", resources: ["pods/log"], verbs: { always: ["get"] }, trait: "backup" },
    { apiGroup: "", resources: ["pods/portforward"], verbs: { always: ["get", "create"] } },
    { apiGroup: "", resources: ["secrets"], nameOf: clientSecretName, verbs: { always: ["get"] }, trait: "tls" },
    {
        apiGroup: "",
        resources: ["secrets"],
        nameOf: passwordSecretName,
        verbs: { always: ["get", "patch"] },
        trait: "password",
    },
    // Kubernetes cannot restrict `create` to a name.
    { apiGroup: "", resources: ["secrets"], verbs: { always: ["create"] }, trait: "password" },
    // What the servers' files say: settings are compared with it before they are set on running servers.
    { apiGroup: "", resources: ["configmaps"], verbs: { always: ["get"] }, trait: "online" },
    { apiGroup: "", resources: ["configmaps"], verbs: { always: ["get", "create", "patch"] }, isForJournal: true },
    { apiGroup: "events.k8s.io", resources: ["events"], verbs: { always: ["create"] }, isForJournal: true },
    {
        apiGroup: "",
        resources: ["persistentvolumes"],
        verbs: { always: ["get", "patch"] },
        trait: "reclaim-policy",
        isClusterWide: true,
    },
];

/** Permission to use one verb on one kind of object, or on one object. */
export interface Permission {
    readonly apiGroup: string;
    /** With its subresource: `pods/portforward`. */
    readonly resource: string;
    readonly verb: string;
    /** The only object that it is for. Default: every object. */
    readonly name?: string;
    /** Whether the gates use it, or only the Kubernetes provider. */
    readonly byGates: boolean;
    readonly need: Need;
    readonly trait?: Trait;
    /** Whether a ClusterRole must grant it. Default: false. */
    readonly isClusterWide?: true;
    /** Whether it only lets the gates write the journal and Events. Default: false. */
    readonly isForJournal?: true;
}

/** @returns every permission that the cluster of this name can need. */
export function permissionsOf(cluster: string): Permission[] {
    return rules.flatMap(({ apiGroup, resources, verbs, byGates, trait, isClusterWide, nameOf, isForJournal }) =>
        resources.flatMap((resource) =>
            (Object.entries(verbs) as [Need, readonly string[]][]).flatMap(([need, some]) =>
                some.map((verb) => ({
                    apiGroup,
                    resource,
                    verb,
                    need,
                    byGates: byGates?.includes(verb) ?? true,
                    ...(trait === undefined ? {} : { trait }),
                    ...(isClusterWide === undefined ? {} : { isClusterWide }),
                    ...(nameOf === undefined ? {} : { name: nameOf(cluster) }),
                    ...(isForJournal === undefined ? {} : { isForJournal }),
                })),
            ),
        ),
    );
}

/** A user who only reads: the verbs that `pulumi-tidb status` and `timeline` use. The documentation shows them, and a test compares the two. */
const statusRules: readonly Pick<Permission, "apiGroup" | "resource" | "verb">[] = [
    { apiGroup: "coordination.k8s.io", resource: "leases", verb: "get" },
    { apiGroup: "apps", resource: "statefulsets", verb: "get" },
    { apiGroup: "apps", resource: "deployments", verb: "get" },
    { apiGroup: "", resource: "pods", verb: "list" },
    { apiGroup: "", resource: "persistentvolumeclaims", verb: "list" },
    { apiGroup: "", resource: "pods/portforward", verb: "get" },
    { apiGroup: "", resource: "pods/portforward", verb: "create" },
];

/** @returns the permissions in the cluster's namespace that the status and the timeline of a cluster of this name can need. */
export function statusPermissionsOf(cluster: string): Permission[] {
    const common = { need: "always", byGates: false } as const;
    const secret = { apiGroup: "", resource: "secrets", verb: "get", name: clientSecretName(cluster) };
    const journal = { apiGroup: "", resource: "configmaps", verb: "get", name: journalName(cluster) };
    return [
        ...[...statusRules, journal].map((rule) => ({ ...rule, ...common })),
        { ...secret, ...common, trait: "tls" },
    ];
}

/**
 * What a component that runs a Job needs beside a cluster's permissions, in the namespace of the Job. `create` and `delete` are for the Kubernetes provider,
 * and for the gate of a log backup; the gate starts the Job (`patch`) and reads it, its pods and their logs.
 */
export const jobPermissions: Rights = [
    ...["get", "list", "watch", "create", "patch", "delete"].map((verb) => ({
        apiGroup: "batch",
        resource: "jobs",
        verb,
    })),
    { apiGroup: "", resource: "pods", verb: "list" },
    { apiGroup: "", resource: "pods/log", verb: "get" },
];

type Rights = readonly Pick<Permission, "apiGroup" | "resource" | "verb">[];

/** What a BackupSchedule needs in its namespace: all is for the Kubernetes provider. */
export const schedulePermissions: Rights = ["get", "list", "watch", "create", "patch", "delete"].map((verb) => ({
    apiGroup: "batch",
    resource: "cronjobs",
    verb,
}));

/** What a status reads of the BackupSchedules of a cluster, besides its own permissions. Without the first it shows none. */
export const scheduleStatusPermissions: Rights = [
    { apiGroup: "batch", resource: "cronjobs", verb: "list" },
    { apiGroup: "batch", resource: "jobs", verb: "list" },
    { apiGroup: "", resource: "pods/log", verb: "get" },
];

/** What the gate of `operations.lostNodes` reads of the whole Kubernetes cluster. The documentation shows them, and a test compares the two. */
export const lostNodesRules: Rights = [
    { apiGroup: "", resource: "nodes", verb: "get" },
    { apiGroup: "", resource: "nodes", verb: "list" },
    { apiGroup: "", resource: "persistentvolumes", verb: "get" },
];

/** What a diagnosis reads in the cluster's namespace besides what a status reads. */
const diagnosisRules: Rights = [
    { apiGroup: "", resource: "pods", verb: "get" },
    { apiGroup: "", resource: "pods/log", verb: "get" },
    { apiGroup: "", resource: "events", verb: "list" },
    { apiGroup: "", resource: "persistentvolumeclaims", verb: "get" },
    { apiGroup: "batch", resource: "jobs", verb: "list" },
];

/** What a diagnosis reads outside of it. A preview lists StorageClasses, too. */
export const clusterDiagnosisRules: Rights = [
    { apiGroup: "", resource: "nodes", verb: "get" },
    { apiGroup: "", resource: "nodes", verb: "list" },
    { apiGroup: "", resource: "pods", verb: "list" },
    { apiGroup: "", resource: "persistentvolumes", verb: "list" },
    { apiGroup: "storage.k8s.io", resource: "storageclasses", verb: "list" },
];

/**
 * @returns the permissions in the cluster's namespace with which a diagnosis of a cluster of this name finds every cause. All are
 * optional: what may not be read is said to be not known. The documentation shows them, and a test compares the two.
 */
export function diagnosisPermissionsOf(cluster: string): Permission[] {
    const common = { need: "always", byGates: true } as const;
    const members = components.filter((component) => topology[component].partOf === undefined);
    const names = [
        ...members.map((component) => memberSecretName(cluster, component)),
        clientSecretName(cluster),
        sqlServerSecretName(cluster),
        sqlClientSecretName(cluster),
    ];
    const secret = { apiGroup: "", resource: "secrets", verb: "get", trait: "tls" } as const;
    return [
        ...diagnosisRules.map((rule) => ({ ...rule, ...common })),
        ...names.map((name) => ({ ...secret, ...common, name })),
    ];
}
