import type { ApprovalMode } from "../provider/lifecycle/vocabulary/approvals";
import type { BackupSpec } from "./br/spec";
import type { DrainMode } from "../provider/lifecycle/vocabulary/drain";

/** Settings for the operation of the cluster that are not part of its spec. */
export interface OperationsArgs {
    /** How long the gates wait before they fail. Default: the default of each timeout. */
    timeouts?: TimeoutsArgs;
    /**
     * Whether members may go back to an earlier major or minor version. TiDB does not support this
     * (https://docs.pingcap.com/tidb/stable/upgrade-tidb-using-tiup), so the preview refuses it unless this is true. Set it
     * only for a cluster whose data you can lose, and remove it afterwards. Default: false.
     */
    allowDowngrade?: boolean;
    /**
     * How much of an update each `pulumi-tidb approve` lets through: `step`, one step, or `member`, one member's steps. The
     * preview shows the command with the digest of the plan; a plan that has changed since then needs a new consent. Default:
     * nothing needs consent.
     */
    approval?: ApprovalMode;
    /**
     * When the pods of PD, TiKV and TiFlash get the `topologySpreadConstraints` that keep a lost node from taking too many of them.
     * `with-changes`: a new member gets them at once, and a deployed one when its pod template changes for another reason and its
     * pods already are where the constraints allow them. `now`: a deployed member gets those for its number of replicas in this
     * update, which restarts its pods. `off`: none; where a deployed member has them, they are removed, which restarts its pods. A
     * member whose spec, or whose cluster's spec, sets `affinity` or `topologySpreadConstraints` never gets them. Default:
     * `with-changes`.
     */
    placement?: PlacementMode;
    /** How changes are rolled out. Default: the default of each field. */
    rollout?: RolloutArgs;
    /**
     * How dead members are replaced: PD, TiKV, TiFlash and TiDB. `spec.<member>.maxFailoverCount` says how many replacements there may
     * be. Default: the default of each field.
     */
    failover?: FailoverArgs;
    /**
     * Makes PD recover from the loss of stores that hold the majority of regions (`pd-ctl unsafe remove-failed-stores`). It loses
     * data. The preview names the regions and the data at stake, and the update always waits for `pulumi-tidb approve`. A member that
     * is replaced, or a node that comes back, needs no such recovery. Take it out of the program once it is done. Default: none.
     */
    unsafeRecovery?: UnsafeRecoveryArgs;
    /**
     * Nodes that are gone and never come back with their disks: your word for it. Each by its host name, the label `kubernetes.io/hostname` to which
     * its volumes are tied; on most clouds that is the name of the Node too. Pods of PD, TiKV and TiFlash with a volume on one of
     * them start empty on another node, once what ran there is removed from PD; the update always waits for `pulumi-tidb approve`. Nothing
     * is given up while Kubernetes has a node of that name, PD hears from the store or member, or too few others are left. Default: none.
     */
    lostNodes?: string[];
    /**
     * What gates do about a pod on a node that is being emptied: one that is cordoned, or about to be removed by an autoscaler or a
     * cloud. `move`: it leaves as in a restart, leaders first and one pod at a time, if another node takes it. `off`: nothing; a drain
     * takes it without asking PD. Default: `move`.
     */
    drain?: DrainMode;
    /**
     * The data volumes of TiKV and TiFlash grow with their use: in `pulumi up`, and, with `--act grow`, by the controller. PD tells how full a store's
     * disk is; of other members nothing tells it, so their volumes have the program's size. `requests.storage` is the least size in any case, and new pods
     * start with it. Default: volumes have the program's sizes.
     */
    volumes?: VolumesArgs;
    /**
     * Which PodDisruptionBudgets the cluster gets. `gates`: one for each member, which allows a drain no more than the gates would:
     * one pod at a time of TiDB and TiProxy, and none of the others, of which the gates ask something before they stop a pod. Then only
     * gates and the controller move those pods. `off`: none; remove your own before you set `gates`,
     * because Kubernetes evicts no pod that has two. `gates` is refused where `drain` is `off`. Default: `off`.
     */
    disruptionBudgets?: BudgetMode;
    /** What updates of the cluster and its backups have to do with each other. Default: the default of each field. */
    backup?: BackupOperationsArgs;
    /**
     * Which Service the output `sqlEndpoint` names. `tiproxy`: TiProxy's (port 6000) if the cluster has TiProxy with replicas, otherwise
     * TiDB's. `tidb`: TiDB's if the cluster has TiDB, so that adding TiProxy moves no client. Default: `tiproxy`.
     */
    sqlEndpoint?: SqlEndpoint;
}

/** How volumes grow with their use. A volume never shrinks. */
export interface VolumesArgs {
    /** The share of a store's disk from which on its volume grows, once it is used, from `"1%"` to `"99%"`. Default: `"80%"`. */
    growAt?: `${number}%`;
    /** By which share of its present size a volume grows, from `"1%"` to `"100%"`, rounded up to a whole Gi. Default: `"20%"`. */
    by?: `${number}%`;
    /** The size that no volume grows beyond, as a quantity such as `2Ti`. A larger size of the program counts all the same. */
    max: string;
}

/** The Service that the output `sqlEndpoint` names. */
export type SqlEndpoint = "tiproxy" | "tidb";

/** What updates of the cluster and its backups have to do with each other. */
export interface BackupOperationsArgs {
    /**
     * What happens while a Backup or a BackupSchedule in the cluster's namespace backs it up, or a Restore restores into it. `wait`: no running pod of TiKV or PD is restarted,
     * and no store is removed, until it has ended, because BR may fail where leaders move. `continue`: the update goes on. A log
     * backup holds nothing back. Default: `wait`.
     */
    duringBackup?: DuringBackup;
    /** How long an update waits for the end of such a backup, in whole seconds, at least 1. Then it fails, and the backup goes on. Default: 3600. */
    waitTimeoutSeconds?: number;
    /**
     * A backup before the first step of an upgrade, once for each: when PD, TiKV, TiFlash or TiDB get an image with another tag. If it
     * fails, `pulumi up` fails with BR's last words, and nothing has been restarted. Default: none.
     */
    beforeUpgrade?: BeforeUpgradeArgs;
    /**
     * A last backup before `pulumi destroy`, or the removal of the TidbCluster from the program, deletes anything of the cluster. If it fails, nothing is
     * deleted. It counts from the end of the `pulumi up` that sets it. Default: none.
     */
    onDestroy?: OnDestroyArgs;
}

/** The backup before a cluster is destroyed. */
export interface OnDestroyArgs {
    /** As in `beforeUpgrade`. BR has TiKV's version at that time, unless `toolImage` has a tag. Its Secrets must outlive the cluster: make it depend on them. */
    spec: BeforeUpgradeArgs["spec"];
    /** How long a destroy waits for the end of the backup, in whole seconds, at least 1. Then it fails, and the backup goes on. Default: 3600. */
    timeoutSeconds?: number;
}

/** The backup before an upgrade. */
export interface BeforeUpgradeArgs {
    /**
     * The fields of a Backup, as plain values, without a log backup. Each backup has a folder of its own under the storage's `prefix`. BR has
     * TiKV's version before the upgrade, unless `toolImage` has a tag.
     */
    spec: Omit<BackupSpec, "br"> & { br?: Partial<BackupSpec["br"]> };
    /** Counts the attempts, a whole number from 1. One that failed is tried again only when this is raised. Default: 1. */
    attempt?: number;
    /** How long an update waits for the end of the backup, in whole seconds, at least 1. Then it fails, and the backup goes on. Default: 3600. */
    timeoutSeconds?: number;
}

/** What updates do while a backup runs. */
export type DuringBackup = "wait" | "continue";

/** A recovery of regions that have lost their majority, without their replicas on failed stores. */
export interface UnsafeRecoveryArgs {
    /**
     * The ids of all stores that are lost, as PD lists them. PD must not have heard from them for longer than its
     * `max-store-down-time` (30 minutes by default), and must hear from all others. It makes them Tombstone: they never come back.
     */
    failedStores: number[];
    /**
     * Your word that the processes, nodes and volumes of these stores never come back. Must be true. That a node is gone from
     * Kubernetes does not prove it: a volume of the network can be attached to another node, and brings the store back with its data.
     */
    neverComeBack: true;
    /** After how long PD gives up, in whole seconds, at least 1. Default: 600, as in PD. */
    timeoutSeconds?: number;
}

/** Which PodDisruptionBudgets a cluster gets. */
export type BudgetMode = "gates" | "off";

/** How dead members are replaced. */
export interface FailoverArgs {
    /** Whether dead members are replaced. Replacements that are there already stay in any case. Default: true. */
    enabled?: boolean;
    /**
     * How long PD and Kubernetes must both see a member as dead before it is replaced, in whole seconds, at least 1. For a store: after
     * PD calls it Down, which PD does after `schedule.max-store-down-time` (30 minutes by default). Default: 300.
     */
    periodSeconds?: number;
}

/** When pods get the default `topologySpreadConstraints`. */
export type PlacementMode = "with-changes" | "now" | "off";

/** How changes are rolled out. */
export interface RolloutArgs {
    /**
     * Whether changed settings of TiKV, PD and TiDB that take effect at once are set on the running servers, without a restart:
     * on each TiKV and TiDB through its status port, in PD through its API, and, if the program creates root's password
     * (`spec.tidb.initializer.createPassword`), in each TiDB over SQL. Each is read back, then written to the ConfigMap; a run
     * that fails takes back what it set. The rest of the configuration changes as `configUpdateStrategy` says. With `RollingUpdate`,
     * the names of the ConfigMaps no longer depend on these settings: the first update with this option restarts the pods of a
     * member that has such settings in its configuration. Default: false.
     */
    online?: boolean;
    /**
     * The eviction window: while the leaders of a TiKV store leave it for a restart and return to it, PD's limits of how fast leaders
     * move are raised to these bounds, and then put back. What was there before is recorded on the cluster's Lease first, so a run
     * that fails puts it back, and after a kill the next one does; a value that somebody else has changed meanwhile stays. Limits are
     * not raised for a store with fewer than 200 leaders, nor while a TiKV store that may get leaders says that it is busy or slow
     * (`is_busy`, or a `slow_score` of 80 or more), nor if moving leaders is switched off in PD (0). `false`: PD's limits are never changed.
     * Default: the default of each bound.
     */
    evictionWindow?: false | EvictionWindowArgs;
    /**
     * How many TiKV stores restart side by side: up to that number, from 1 to 1000, or `zone`, all of a zone. Only where it is proven from
     * live placement that no region loses its majority while they are down: by PD's gauge `pd_regions_label_level` with PD's default
     * placement rule, or by a list of the regions if PD has at most 2,000 of them. Where it is not proven, stores restart one by one,
     * and the preview says why. A zone is PD's location label `zone` or `topology.kubernetes.io/zone`. PD's members restart side by side
     * up to that number too, with `zone` as many as may be down, after one has restarted alone: never the leader, and only while all
     * others are healthy and a quorum, so with five members two. TiFlash stores restart side by side up to that number, with `zone` as many
     * as can, after one has restarted alone: only where PD has at most 2,000 regions and lists for each a replica on another TiFlash
     * store. TiCDC, Pump and PD's microservices always restart one by one. More than 1 is refused where `operations.approval` is `step`. Default: 1.
     */
    parallelism?: number | "zone";
    /**
     * How many pods of TiDB, and how many of TiProxy, may be down for a restart at once: a whole number from 1 to 1000, or a share of the
     * member's pods, from `"1%"` to `"99%"`, rounded down, at least 1. One restarts alone first, which shows that the new template
     * starts. Then that many restart side by side, only while all others serve, and one always does. Where they do not all serve, pods
     * restart one by one. More than 1 is refused where `operations.approval` is `step`. Default: 1.
     */
    maxUnavailable?: number | `${number}%`;
}

/** The bounds of the eviction window. PD's own values stay where they are higher. */
export interface EvictionWindowArgs {
    /**
     * PD's `schedule.leader-schedule-limit`, from 1 to 1024: how many leaders move at once. PD's own default is 4. A real PD 8.5.4 evicted
     * 7 times and gave back 5 times as fast with 64. Default: 64.
     */
    leaderScheduleLimit?: number;
    /**
     * The `batch` of PD's evict-leader scheduler, from 1 to 10: how many leaders it begins to move in one go. PD's own default is 3;
     * PD before 8.3 has no such setting. Default: 10.
     */
    batch?: number;
}

/** How long the gates wait before they fail, in whole seconds, at least 1. */
export interface TimeoutsArgs {
    /** How long a gate waits for a pod to be Ready, and for its member or store to be healthy, in seconds. Default: 600. */
    podReadySeconds?: number;
    /**
     * How long a gate waits for a store's leaders to be evicted before a restart, in seconds. After that the update fails
     * and the store is not restarted. `spec.tikv.evictLeaderTimeout` takes precedence; with it, the store is restarted with
     * the leaders that remain. Default: 90000.
     */
    evictLeaderSeconds?: number;
    /**
     * How long a gate waits for a region to leave a store that is removed, in seconds. A scale-in then fails. With `lostNodes` the update then goes on
     * without the store. Default: 86400.
     */
    storeRemovalSeconds?: number;
}

/** PD's own default (tikv/pd server/api/unsafe_operation.go). */
export const defaultRecoverySeconds = 600;
