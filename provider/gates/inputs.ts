import type { Component } from "../../topology/members";
import type { Trait } from "../../topology/permissions";
import type { ClusterAccess } from "../cluster/access";
import type { PdAccess } from "../cluster/pdAccess";
import type { DrainMode, PlannedMoves } from "../lifecycle/vocabulary/drain";
import type { WantedTags } from "../lifecycle/backups/beforeUpgrade";
import type { FailoverPolicy } from "../lifecycle/vocabulary/memberFailover";
import type { ConfigDigests } from "../lifecycle/configEffects/configChange";
import type { WantedVersion } from "../lifecycle/prerequisites/downgrade";
import type { CertificateSecret } from "../lifecycle/prerequisites/missingSecrets";
import type { WantedClasses } from "../lifecycle/prerequisites/missingClasses";
import type { PodNeeds } from "../lifecycle/prerequisites/podNeeds";
import type { NamespaceMaker } from "../lifecycle/prerequisites/namespace";
import type { DeployedMembers } from "../lifecycle/prerequisites/seenVersions";
import type { ApprovalMode } from "../lifecycle/vocabulary/approvals";
import type { SettingsLook } from "../lifecycle/vocabulary/look";
import type { Settings } from "../lifecycle/vocabulary/settings";
import type { FixedFields } from "../lifecycle/vocabulary/fixedFields";
import type { WantedSpread } from "../lifecycle/spread/chooseSpread";
import type { Spread } from "../lifecycle/vocabulary/spread";
import type { Unused } from "../lifecycle/walks/mayLeave";
import type { ClusterNames, ClusterOwner, UnattendedFailovers } from "../lifecycle/vocabulary/ownership";
import type { GatePolicy, LabelSources, MemberTarget } from "../lifecycle/vocabulary/target";
import type { GrowthPolicy } from "../lifecycle/vocabulary/volumeGrowth";
import type { JobProgramInputs, JobRecordInputs, ScheduleProgramInputs } from "./jobInputs";
import type { LogBackupProgramInputs } from "./logBackupInputs";
import type { RestoreProgramInputs } from "./restoreInputs";

/**
 * Fields of a StatefulSet that its gates know. The program passes those that cannot change, and `check` adds the constraints that the
 * pod template gets. They are here because every state has this input: Pulumi gives a preview the outputs of an unchanged gate
 * from the state, and an output that an earlier version did not write would be unknown.
 */
export interface GateFixedFields extends FixedFields {
    /** Default: none. */
    spread?: Spread;
}

/** What the program passes to a gate. Plain data: it becomes the resource's inputs. */
export interface GateProgramInputs {
    namespace: string;
    cluster: string;
    /** Value of `app.kubernetes.io/instance` on the cluster's objects: the cluster's name, unless its labels override it. */
    instance: string;
    access: ClusterAccess;
    /** UID of the cluster's Lease, created by the Kubernetes provider: proof that both see the same cluster. */
    leaseUid: string;
    pd: PdAccess;
    /**
     * Domain after the host names of this cluster's pods (`spec.clusterDomain`). With namespace and name it distinguishes
     * the cluster's stores and members from those of another Kubernetes cluster. Default: none.
     */
    domain?: string;
    component: Component;
    /** Replicas that the spec asks for. */
    desiredReplicas: number;
    /** Digest of the rendered pod template. Only a RolloutGate gets it: a new template must not change a ScaleGate. */
    templateRevision?: string;
    /** The same, for what a ScaleGate decides about the dead: its change alone changes nothing. Only a ScaleGate with failover gets it. */
    wantedTemplate?: string;
    /**
     * `templateRevision` of PD, if PD is in the same cluster: whether the same update restarts PD. Only the RolloutGate of
     * a member that depends on it gets it; it affects only the text of the plan.
     */
    pdTemplateRevision?: string;
    /**
     * The settings that the same update sets on PD, with `operations.rollout.online`, if PD is in the same cluster. Only the RolloutGate
     * of a member for which PD's limits are raised gets it; it affects only the text of the plan. Default: none are set.
     */
    pdSettings?: { settings: Settings; configFiles: SettingsLook["files"] };
    /** Version that the pods are to run. Only the RolloutGate of a member that depends on it gets it. */
    version?: string;
    /** Tag of the image that the pods are to run. Only a RolloutGate gets it; it affects only the text of the plan. */
    tag?: string;
    /** The configuration, each value as a digest. Only a RolloutGate gets it, to report when a changed key takes effect. */
    config?: ConfigDigests;
    /**
     * The settings that gates set on running servers, with `operations.rollout.online`. Only the SettingsGate and the RolloutGate
     * of a member that has such settings get them. Default: none are set.
     */
    settings?: Settings;
    /** Set if its ConfigMap has another name because of them. Only a RolloutGate gets it; it affects only the text of the plan. Default: it has not. */
    isNamedOnline?: true;
    /** As in the spec. Only a RolloutGate gets it; it affects only the text of the plan. A state of an earlier build has none. */
    configUpdateStrategy?: "InPlace" | "RollingUpdate";
    /** The keys of the member's ConfigMap that contain its configuration, for the same gates. */
    configFiles?: SettingsLook["files"];
    policy: GatePolicy;
    /** `operations.drain`. Only a RolloutGate gets it. Default: `move`. */
    drain?: DrainMode;
    /** `operations.volumes`. Only the ScaleGate of a member with stores gets it. Default: volumes do not grow by themselves. */
    growth?: GrowthPolicy;
    /** `operations.backup.onDestroy`. Only the RolloutGate of TiKV gets it. Default: no backup is taken before a destroy. */
    onDestroy?: GateBackup;
    /** How the dead of the member are replaced. Only members with failover have it. Default: they are not replaced. */
    failover?: FailoverPolicy;
    /** `operations.lostNodes`: what is given up with them is not replaced. Default: none. */
    lostNodes?: readonly string[];
    /** The StatefulSet fields that Kubernetes does not allow to change. A difference from the live StatefulSet is refused. */
    fixed: GateFixedFields;
    /** The constraints that the program wants for the pod template. Only a ScaleGate gets it. Default: none. */
    wantedSpread?: WantedSpread;
    /** `operations.approval`. Default: nothing needs consent. */
    approval?: ApprovalMode;
    /** Which labels of their nodes its stores get in PD. Only the ScaleGate of stores gets it, for those that get new volumes. Default: those of PD's `location-labels`. */
    labels?: LabelSources;
    /** Set while the cluster is restored (`spec.recoveryMode`), for a gate to which it matters. Default: it is not. */
    recoveryMode?: true;
    /** Whether the cluster is paused (`spec.paused`): the gate does nothing. Default: false. */
    paused?: boolean;
    /** Which gate it is. */
    gate: string;
    /** Whether this is a preview, which reports the plan. `check` takes it out of the inputs. Default: false. */
    isPreview?: boolean;
    /** The gate's own URN, for status messages on its line in Pulumi's display. */
    statusUrn: string;
}

/** What `check` adds. The preview shows it, and resources after the gate can use it. */
export interface GateFindings {
    /** Replicas for the StatefulSet. */
    replicas: number;
    /** The steps, in words, in order. Empty if there is nothing to do. */
    plan: string[];
    /** Why there is no exact plan; empty if there is one. */
    deferred: string;
    /** The dead pods that the plan of a ScaleGate replaces. Default: none. */
    replaces?: string[];
    /** The pods to which the plan of a ScaleGate gives new volumes. Default: none. */
    renews?: string[];
    /** The pods that the plan of a RolloutGate moves away from nodes that are being emptied. Default: none. */
    moves?: PlannedMoves;
}

/** What the last gate gets: the cluster's members and how many replicas each is to have. */
export interface ReadyProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "policy" | "fixed"
> {
    members: Pick<MemberTarget, "component" | "replicas" | "policy" | "labels" | "reclaimPolicy">[];
    /** How the dead of each member are replaced: what the gates before this one plan is foreseen. Default: they are not replaced. */
    failovers?: Partial<Record<Component, FailoverPolicy>>;
    /** The digest of the template that the update brings to each of them. A state of an earlier build has none. */
    wantedTemplates?: Partial<Record<Component, string>>;
    /** Who owns the cluster: a stack destroys only its own cluster. */
    owner: ClusterOwner;
}

/** What the first gate of a cluster gets: the cluster's owner and its members. */
export interface ClusterProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> {
    owner: ClusterOwner;
    /** Name and namespace of the Lease as the Kubernetes provider created it: those of the first deployment. */
    deployed: ClusterNames;
    /** The members that the program has, suspended ones included. Known in every preview. */
    components: Component[];
    /** The output `sqlEndpoint`; empty for none. A stack that an earlier version wrote has none. */
    sqlEndpoint?: string;
    /** Replicas of each member. */
    memberReplicas: Partial<Record<Component, number>>;
    /** The members that the program suspends, for the note in the Lease. Default: none. */
    suspended?: Component[];
    /** The members whose dead the controller may replace, for the note in the Lease. Default: none. */
    unattended?: UnattendedFailovers;
    /** Members that the program has but that another member is configured not to use. */
    unused: Partial<Record<Component, Unused>>;
    /** What the preview checks before anything else. A stack that an earlier version wrote has none. */
    prerequisites?: PrerequisiteInputs;
}

/** What the program asks of a member, as far as it decides what an update needs. */
export interface WantedMember extends WantedVersion {
    /** Digest of the rendered pod template. */
    templateRevision: string;
    /** Whether it runs: a suspended member has no pods. */
    runs: boolean;
}

/** What the first gate needs to find, in the preview, what would let the update fail. */
export interface PrerequisiteInputs {
    members: Partial<Record<Component, WantedMember>>;
    /** Names of the members' claim templates: claims of an earlier cluster are found by name. A state of an earlier build has none. */
    claimTemplates?: Partial<Record<Component, readonly string[]>>;
    /** Digest of the members' rendered objects: whether the update changes anything. */
    objects: string;
    namespaceMaker: NamespaceMaker;
    /** Whether something that the cluster depends on may grant the permissions first: a preview only warns of those that are missing. */
    mayGrant: boolean;
    /** Whether the Kubernetes provider uses the gates' kubeconfig and context: both have no setting of their own. */
    sharesUser: boolean;
    /** Whether nobody carries the plan out: its reader may lack the permissions for that. Default: false. */
    plansOnly?: boolean;
    traits: Trait[];
    /** The Secrets with certificates that the cluster needs. Default: none, without TLS. */
    certificates?: readonly CertificateSecret[];
    /** The StorageClasses that the members' claims name. A state of an earlier build has none. */
    storageClasses?: WantedClasses;
    /** What the pods of the members that run need. A state of an earlier build has none. */
    podNeeds?: PodNeeds;
    /** What the manifest's own warnings put at risk, in short. Default: nothing. */
    risks?: readonly string[];
    /** Set while the cluster is restored from snapshots of volumes. Default: it is not. */
    recoveryMode?: true;
    /** `operations.allowDowngrade`. */
    allowDowngrade: boolean;
    /**
     * What the last update deployed. `check` sets it if it could not compare the versions: then the update compares them
     * before it changes anything.
     */
    comparesWith?: DeployedMembers;
}

/** What the gate that sets settings on running servers gets. */
export interface SettingsProgramInputs extends Omit<
    GateProgramInputs,
    "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> {
    settings: Settings;
    configFiles: SettingsLook["files"];
}

/** What the gate that recovers from the loss of stores gets. */
export interface RecoveryProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> {
    /** `operations.unsafeRecovery`, with its defaults. */
    failedStores: readonly number[];
    neverComeBack: boolean;
    timeoutSeconds: number;
}

/** What the gate that takes the backup before an upgrade gets. */
export interface BeforeUpgradeProgramInputs
    extends
        Omit<
            GateProgramInputs,
            "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed" | "policy"
        >,
        GateBackup {
    /** The wanted tags of the members' images. */
    tags: WantedTags;
    attempt: number;
}

/** A backup that a gate takes. */
export interface GateBackup {
    /** The Job, with `anyFolder` in its arguments, and no name of its own. */
    job: BackupJob;
    /** The image of BR, which gets TiKV's tag. Default: the Job's own image. */
    untaggedImage?: string;
    /** Where the backup is, with `anyFolder` in it. */
    url: string;
    timeoutSeconds: number;
}

/** The Job of a backup that a gate takes, as Kubernetes takes it. */
export interface BackupJob {
    metadata: { name: string; namespace: string; annotations?: Record<string, string>; ownerReferences?: object[] };
    spec: { template: { spec: { containers: { image: string; args: string[] }[] } } };
}

/** What the gate that gives up volumes on nodes that are gone gets. */
export interface LostNodesProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> {
    /** `operations.lostNodes`. */
    nodes: readonly string[];
}

/** What a gate that suspends a member gets. */
export type SuspendProgramInputs = Omit<
    GateProgramInputs,
    "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> & {
    /** Whether the program has Pulumi's `protect`, with which Pulumi refuses to delete the StatefulSet. Default: no. */
    isProtected?: true;
};

/** What the gate that sets root's password gets. */
export interface PasswordProgramInputs extends Omit<
    GateProgramInputs,
    "component" | "desiredReplicas" | "templateRevision" | "version" | "config" | "fixed"
> {
    /** Whether TiDB is to have any server. Without one there is nothing to do yet. */
    hasServers: boolean;
}

/** What a program passes to each gate. */
export interface ProgramInputs {
    cluster: ClusterProgramInputs;
    recovery: RecoveryProgramInputs;
    "lost-nodes": LostNodesProgramInputs;
    "before-upgrade": BeforeUpgradeProgramInputs;
    settings: SettingsProgramInputs;
    scale: GateProgramInputs;
    rollout: GateProgramInputs;
    suspend: SuspendProgramInputs;
    password: PasswordProgramInputs;
    ready: ReadyProgramInputs;
    job: JobProgramInputs;
    record: JobRecordInputs;
    restore: RestoreProgramInputs;
    logBackup: LogBackupProgramInputs;
    schedule: ScheduleProgramInputs;
}

/** The value that Pulumi passes to a provider in a preview in place of a value that is not known yet. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** @returns the first path in `value` that holds an unknown value; `undefined` if none does. */
export function unknownPath(value: unknown, path = ""): string | undefined {
    if (value === unknownValue) {
        return path || "value";
    }
    if (typeof value !== "object" || value === null) {
        return undefined;
    }
    for (const [key, inner] of Object.entries(value)) {
        const found = unknownPath(inner, path ? `${path}.${key}` : key);
        if (found !== undefined) {
            return found;
        }
    }
    return undefined;
}
