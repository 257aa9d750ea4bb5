import type { Observation, OperationRecords } from "../provider/lifecycle/vocabulary/observation";
import { stateInWords } from "../provider/lifecycle/stages/stores";
import { storesInWords } from "../provider/lifecycle/vocabulary/storesInWords";
import { leftSettings } from "../provider/lifecycle/walks/leftSettings";
import { batchInWords } from "../provider/lifecycle/walks/leftBatch";
import { deletedInWords } from "../provider/lifecycle/walks/volumesStay";
import { raisedInWords } from "../provider/lifecycle/walks/leftRaisedLimits";
import { millisecondsOf, timeOfTso } from "../topology/timestamps";
import { namespaceFlag } from "../topology/names";
import { listed } from "./listed";
import { versionOfTag } from "../topology/imageVersion";
import type { ClusterStatus, MemberStatus, StoreStatus } from "./clusterStatus";
import { storeWords } from "./storeStatus";
import { differentVersions, isIdle, twoRevisions } from "./unfinishedUpdate";
import { largerClaims } from "./volumeRemarks";
import { type Notice, noticesOf } from "../provider/lifecycle/vocabulary/notices";

/** Returns what is worth a look although no check counts it, in words. */
export function remarksOf(
    {
        cluster,
        namespace,
        members,
        records,
        observation,
        isPaused = false,
    }: {
        cluster: string;
        namespace: string;
        members: readonly MemberStatus[];
        records: OperationRecords;
        observation: Pick<Observation, "cluster" | "members" | "pd" | "now">;
        isPaused?: boolean;
    },
    runs: Pick<ClusterStatus, "operation" | "waiting" | "approvals" | "unfinished">,
): Notice[] {
    const { operation } = runs;
    const isAtWork = operation !== null && !operation.isOverdue;
    return [
        ...noticesOf(
            "paused",
            isPaused
                ? "the program pauses the cluster (spec.paused): nothing is changed until an update without it"
                : undefined,
        ),
        ...noticesOf("versions-differ", ...differentVersions(members, runs, isPaused)),
        // How the last operation ended says more.
        ...noticesOf(
            "older-revision",
            ...(isPaused || !isIdle(runs) || runs.unfinished !== null ? [] : twoRevisions(members)),
        ),
        ...noticesOf("version-not-of-tag", ...otherThanTags(members)),
        ...noticesOf("claim-deleted", ...deletedClaims(members)),
        ...noticesOf("volumes-larger", ...(isAtWork ? [] : largerClaims(observation))),
        ...noticesOf("failover-open", ...replacements(records)),
        ...noticesOf("unsafe-recovery-unfinished", ...begunRecovery(records)),
        ...noticesOf("lost-volumes", ...(isAtWork ? [] : lostVolumes(records))),
        ...noticesOf("node-drained", ...drainedNodes(observation)),
        ...noticesOf("log-backup-behind", ...logBackups(observation)),
        ...noticesOf("settings-unfinished", ...(isAtWork ? [] : openSettings({ cluster, namespace }, records))),
        ...noticesOf("limits-left-raised", ...(isAtWork ? [] : raisedLimits({ cluster, namespace }, records))),
        ...noticesOf("smooth-upgrade-unfinished", ...(isAtWork ? [] : openUpgrade({ cluster, namespace }, records))),
        ...noticesOf("batch-left", ...(isAtWork ? [] : leftBatch({ cluster, namespace }, records))),
    ];
}

/** Returns a note on each pod that loses a volume once it stops. */
function deletedClaims(members: readonly MemberStatus[]): string[] {
    const pods = members.flatMap((member) => member.pods);
    return pods.flatMap(({ name, losesVolumes }) =>
        losesVolumes === null ? [] : [`${name}: ${deletedInWords(losesVolumes.claims)}. Next: ${losesVolumes.next}`],
    );
}

/** Returns a note on the pods of each member whose servers say another version than the tag of their image. */
export function otherThanTags(members: readonly Pick<MemberStatus, "pods">[]): string[] {
    return members.flatMap(({ pods }) => {
        const byWords = new Map<string, string[]>();
        for (const { name, version, tag } of pods) {
            if (version !== tag && tag !== null && versionOfTag(tag) !== undefined) {
                const words = `${version}, and the tag of the image says ${tag}`;
                byWords.set(words, [...(byWords.get(words) ?? []), name]);
            }
        }
        return [...byWords].map(
            ([words, names]) =>
                `${listed(names)} ${names.length === 1 ? "runs" : "run"} ${words}: the tag names another build. Next: check the registry and the nodes' copies, or name the image by its digest`,
        );
    });
}

function replacements({ failovers = {} }: OperationRecords): string[] {
    return Object.values(failovers).flatMap(({ uid, failures }) =>
        Object.entries(failures).map(([pod, { replacedBy, counts }]) =>
            counts === true
                ? `${replacedBy} replaces ${pod}, which was found dead (failover ${uid})`
                : `${pod} was found dead; its replacement has not begun (failover ${uid})`,
        ),
    );
}

function begunRecovery({ unsafeRecovery }: OperationRecords): string[] {
    const stores = unsafeRecovery?.begun?.stores;
    return stores === undefined
        ? []
        : [
              `an unsafe recovery of ${storesInWords(stores)} is on record as begun, and its end is not: see \`pd-ctl unsafe remove-failed-stores show\`. \`pulumi up\` goes on with it only while the program has \`operations.unsafeRecovery\``,
          ];
}

function lostVolumes({ lostVolumes: lost = {} }: OperationRecords): string[] {
    return Object.entries(lost).map(
        ([pod, { node }]) =>
            `the volumes of ${pod} on node ${node}, which is gone, are being given up: \`pulumi up\` goes on with it only while the program has the node in \`operations.lostNodes\``,
    );
}

function raisedLimits(id: { cluster: string; namespace: string }, { raisedLimits: left }: OperationRecords): string[] {
    return left === undefined
        ? []
        : [
              `a run of pulumi-tidb has raised ${raisedInWords(left)} for ${left.pod}, and it has not ended: if no update is under way, the next \`pulumi up\` or \`${sweepOf(id)}\` puts back what was there before`,
          ];
}

function openUpgrade(id: { cluster: string; namespace: string }, { smoothUpgrade }: OperationRecords): string[] {
    return smoothUpgrade === undefined
        ? []
        : [
              `a run of pulumi-tidb has begun TiDB's smooth upgrade from ${smoothUpgrade.from} to ${smoothUpgrade.to}, and it has not ended: the DDL statements of users are paused. If no update is under way, the next \`pulumi up\` goes on with it and finishes it, once every TiDB on this PD has the later version; then \`${sweepOf(id)}\` does too`,
          ];
}

function leftBatch(id: { cluster: string; namespace: string }, { batch }: OperationRecords): string[] {
    return batch === undefined
        ? []
        : [
              `a batch is ${batchInWords(batch)}, and its end is not: if no update is under way, the next \`pulumi up\` goes on with it, and \`${sweepOf(id)}\` deletes the record`,
          ];
}

/** The nodes that are being emptied, each with its pods. Nodes that were not read are none. */
function drainedNodes({ members }: Pick<Observation, "members">): string[] {
    const pods = Object.values(members).flatMap((member) => member.pods);
    const nodes = new Map<string, string[]>();
    for (const { name, drain } of pods) {
        if (drain?.known && drain.value.isDrained) {
            const words = `node ${drain.value.node} ${drain.value.why}`;
            nodes.set(words, [...(nodes.get(words) ?? []), name]);
        }
    }
    return [...nodes].map(
        ([words, names]) =>
            `${words} and has ${names.join(", ")}: the preview of \`pulumi up\` says whether they can be moved`,
    );
}

/** Settings on record are those that a run was setting on running servers. */
function openSettings(
    { cluster, namespace }: { cluster: string; namespace: string },
    records: OperationRecords,
): string[] {
    const sweep = sweepOf({ cluster, namespace });
    return leftSettings({ cluster, records }).map(
        ({ target, seen, by }) =>
            `${target}: ${seen}, by ${by}, and it has not ended: if no update is under way, the next \`pulumi up\` finishes it, and \`${sweep}\` takes it back`,
    );
}

/** Returns what to do about a store that PD does not hear of and that no pod of the cluster runs. */
export function silentStore(store: StoreStatus): string {
    const back = store.own
        ? "the program has no such pod: raise the replicas if it is to come back"
        : "it is not this cluster's: if another cluster shares the PD, look at that one";
    return `${storeWords(store)} is ${stateInWords(store)}, which holds back restarts and removals of stores, and ${back}. If it is gone for good, and each region still has a majority without it: \`pd-ctl store delete ${store.id}\``;
}

function sweepOf({ cluster, namespace }: { cluster: string; namespace: string }): string {
    return `npx pulumi-tidb sweep ${cluster} --yes${namespaceFlag(namespace)}`;
}

/** TiKV writes the log every three minutes by default (`log-backup.max-flush-interval`), so a checkpoint is older than that only for a time. */
const lagMinutes = 10;

/** A log backup that does not get on protects less with every minute. */
function logBackups({ pd, now }: Pick<Observation, "pd" | "now">): string[] {
    return (pd.logBackups?.known ? pd.logBackups.value : []).flatMap(
        ({ name, storage, checkpointTs, paused, errors }) => {
            const minutes = Math.floor((now - millisecondsOf(checkpointTs)) / 60_000);
            const behind = minutes < 1 ? "less than a minute" : `${minutes} min`;
            const why = errors.length === 0 ? "" : `; TiKV's last error: ${errors.join("; ")}`;
            const state = paused ? "is paused" : minutes >= lagMinutes ? "lags" : undefined;
            return state === undefined
                ? []
                : [
                      `log backup ${name} ${state}: what changed after ${timeOfTso(checkpointTs)}, ${behind} ago, is not in ${storage}${why}`,
                  ];
        },
    );
}
