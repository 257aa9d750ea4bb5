import { visible } from "../components/problem";
import { volumesWords } from "./claimStatus";
import type { ClusterStatus, PdMemberStatus, StoreStatus } from "./clusterStatus";
import {
    approvalWords,
    conditionWords,
    consentWords,
    diskSizeWords,
    evictedWords,
    evictionWords,
    jobLines,
    noOperationWords,
    operationWords,
    podGroups,
    readyWords,
    revisionWords,
    runningWords,
    sizeOrUnknown,
    unknownMark,
    waitingWords,
} from "./statusWords";
import { textTable } from "./textTable";

/** Writes a status for a terminal or a log. */
export function textStatus(status: ClusterStatus): string {
    const { name, namespace, at, kubernetes, stack, conditions, operation, evictions, remarks, notKnown } = status;
    const blocks = [
        [
            `TidbCluster ${namespace}/${name}`,
            `  ${conditions.map(conditionWords).join("; ")}`,
            `  read at ${at} with the context \`${kubernetes.context}\` from \`${kubernetes.server}\``,
            `  owner: ${stack === null ? "no stack is recorded" : `stack ${stack}`}`,
            `  operation: ${operation === null ? noOperationWords(status) : operationWords(operation, at)}`,
            ...(operation?.pending ?? []).map((pending) => `    - ${pending}`),
            ...status.waiting.map((run) => `  waiting, without the lock: ${waitingWords(run, at)}`),
            ...status.approvals.map((approval) => `  approval: ${approvalWords(approval, at)}`),
            ...status.consents.map((consent) => `  consent: ${consentWords(consent, status.approvals)}`),
            ...jobLines(status).map((line) => `  job: ${line}`),
            ...evictions.map((eviction) => `  eviction: ${evictionWords(eviction, at)}`),
            ...remarks.map(({ message }) => `  note: ${message}`),
            ...notKnown.map((line) => `  not known: ${line}`),
        ],
        membersTable(status),
        pdTable(status),
        storesTable(status),
        schedulesTable(status),
        podsToLookAt(status),
    ];
    const text = blocks
        .filter((lines) => lines.length > 0)
        .map((lines) => lines.map((line) => `${visible(line)}\n`).join(""))
        .join("\n");
    return status.pd.known ? text : saidOnce(text, `: ${visible(status.pd.why)}\n`);
}

/** Why PD says nothing may be long, with an address of each pod, and much depends on it. */
function saidOnce(text: string, why: string): string {
    if (why.length < 80) {
        return text;
    }
    const rest = text.indexOf(why) + why.length;
    return text.slice(0, rest) + text.slice(rest).replaceAll(why, ": see above\n");
}

function membersTable({ members, discovery }: ClusterStatus): string[] {
    const rows = members.map((member) => [
        member.title,
        readyWords(member),
        member.version ?? "-",
        runningWords(member),
        revisionWords(member),
        volumesWords(member),
    ]);
    const more =
        discovery === null
            ? []
            : [
                  [
                      "Discovery",
                      `${discovery.ready}/${discovery.wanted}`,
                      discovery.image ?? "-",
                      "",
                      `${discovery.upToDate} of ${discovery.wanted} on the newest`,
                      "",
                  ],
              ];
    return textTable(["MEMBER", "READY", "WANTED", "RUNNING", "REVISION", "VOLUMES"], [...rows, ...more]);
}

function pdTable({ pd }: ClusterStatus): string[] {
    if (!pd.known) {
        return [`PD's members: not known: ${pd.why}`];
    }
    return textTable(["PD MEMBER", "HEALTH", "LEADER", "CLUSTER"], pd.value.map(pdRow));
}

function pdRow({ name, healthy, isLeader, own }: PdMemberStatus): string[] {
    const leader = isLeader.known ? (isLeader.value ? "leader" : "") : unknownMark;
    return [name || "(added, never started)", healthy ? "healthy" : "unhealthy", leader, own ? "" : "another"];
}

function storesTable(status: ClusterStatus): string[] {
    const { stores } = status;
    if (!stores.known) {
        return [`stores: not known: ${stores.why}`];
    }
    if (stores.value.length === 0) {
        return ["stores: PD lists none"];
    }
    const row = (store: StoreStatus) => [
        String(store.id),
        store.pod,
        store.engine,
        store.state,
        String(store.leaders),
        String(store.regions),
        diskSizeWords(store),
        sizeOrUnknown(store.usedBytes),
        `${sizeOrUnknown(store.availableBytes)}${store.isLowOnSpace ? " (low)" : ""}`,
        evictedWords(status, store),
        store.own ? "" : "another",
    ];
    const disk = ["DISK", "USED", "FREE"];
    const heading = ["STORE", "POD", "ENGINE", "STATE", "LEADERS", "REGIONS", ...disk, "EVICTED", "CLUSTER"];
    return textTable(heading, stores.value.map(row));
}

function schedulesTable({ schedules }: ClusterStatus): string[] {
    if (!schedules.known) {
        return schedules.isForbidden ? [`backup schedules: not shown: ${schedules.why}`] : [];
    }
    const rows = schedules.value.map(({ name, schedule, timeZone, lastSuccess, next, isPaused, running, problems }) => [
        name,
        `${schedule} (${timeZone})`,
        lastSuccess ?? "none",
        next ?? (isPaused ? "paused" : unknownMark),
        problems.length > 0 ? "see the notes" : (running ?? ""),
    ]);
    return textTable(["BACKUP SCHEDULE", "SCHEDULE", "LAST SUCCESS", "NEXT", "STATE"], rows);
}

function podsToLookAt(status: ClusterStatus): string[] {
    const rows = podGroups(status).map(({ pods, node, words }) => [pods, node, words]);
    return textTable(["POD", "NODE", "STATE"], rows);
}
