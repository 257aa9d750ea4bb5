import type { ClusterStatus, DiscoveryStatus, MemberStatus, PdMemberStatus, StoreStatus } from "./clusterStatus";
import type { Reading } from "./reading";
import { card } from "./htmlCard";
import { type Html, html, nothing } from "./htmlText";
import {
    diskWords,
    evictedWords,
    podGroups,
    readyWords,
    revisionWords,
    runningWords,
    unknownMark,
} from "./statusWords";

/** Writes the table of the members, with discovery. */
export function membersTable({ members, discovery }: ClusterStatus): Html {
    const columns = ["Member", "Ready", "Version wanted", "Running", "Newest revision"];
    return card("Members", table(columns, [...members.map(memberRow), discoveryRow(discovery)]));
}

function discoveryRow(discovery: DiscoveryStatus | null): Html {
    return discovery === null
        ? nothing
        : html`<tr>
              <td>Discovery</td>
              <td>
                  ${state(`${discovery.ready}/${discovery.wanted}`, discovery.ready >= discovery.wanted ? "good" : "warn")}
              </td>
              <td>${discovery.image ?? "-"}</td>
              <td>-</td>
              <td>${discovery.upToDate} of ${discovery.wanted}</td>
          </tr>`;
}

function memberRow(member: MemberStatus): Html {
    const isWhole = member.ready === member.wanted && member.replicas === member.wanted;
    const isCurrent = member.running.every(({ version }) => version === member.version);
    return html`<tr>
        <td>${member.title}</td>
        <td>${state(readyWords(member), isWhole ? "good" : "warn")}</td>
        <td>${member.version ?? "-"}</td>
        <td>${state(runningWords(member), isCurrent ? "plain" : "warn")}</td>
        <td>${revisionWords(member)}</td>
    </tr> `;
}

/** Writes the table of PD's members. */
export function pdTable({ pd }: ClusterStatus): Html {
    return readingCard("PD", pd, (members) => table(["Member", "Health", "Leader"], members.map(pdRow)));
}

function pdRow({ name, healthy, isLeader, own }: PdMemberStatus): Html {
    const leader = isLeader.known ? (isLeader.value ? "★ leader" : "") : unknownMark;
    const words = `${name || "(added, never started)"}${own ? "" : " (another cluster)"}`;
    return html`<tr>
        <td>${words}</td>
        <td>${state(healthy ? "healthy" : "unhealthy", healthy ? "good" : "bad")}</td>
        <td>${leader}</td>
    </tr> `;
}

const storeColumns: readonly Column[] = [
    { number: "Id" },
    "Pod",
    "Engine",
    "State",
    { number: "Leaders" },
    { number: "Regions" },
    "Free disk",
    "Leaders evicted",
];

/** Writes the table of the stores. */
export function storesTable(status: ClusterStatus): Html {
    const rowOf = (store: StoreStatus): Html => storeRow(status, store);
    return readingCard("Stores", status.stores, (stores) =>
        stores.length === 0 ? html`<p>PD lists none.</p>` : table(storeColumns, stores.map(rowOf)),
    );
}

function storeRow(status: ClusterStatus, store: StoreStatus): Html {
    const { id, pod, address, own, engine, state: word, leaders, regions } = store;
    const evicted = evictedWords(status, store);
    return html`<tr>
        <td class="number">${id}</td>
        <td title="${address}">${own ? pod : `${pod} (another cluster)`}</td>
        <td>${engine}</td>
        <td>${state(word, word === "Up" ? "good" : "bad")}</td>
        <td class="number">${leaders}</td>
        <td class="number">${regions}</td>
        <td>${disk(store)}</td>
        <td>${evicted === "" ? nothing : state(evicted, evicted === unknownMark ? "unknown" : "warn")}</td>
    </tr> `;
}

/** A disk with less than this share free is drawn as full: TiKV's own limit is near (raftstore's almost-full). */
const almostFull = 0.1;

function disk(store: StoreStatus): Html {
    const { capacityBytes, availableBytes } = store;
    if (capacityBytes === null || availableBytes === null || capacityBytes === 0) {
        return html`${diskWords(store)}`;
    }
    const free = Math.min(1, availableBytes / capacityBytes);
    const used = Math.round((1 - free) * 100);
    return html`<span class="disk"><i class="${free < almostFull ? "full" : "free"}" style="width: ${used}%"></i></span
        >${diskWords(store)}`;
}

/** Writes the table of the pods that are not as wanted; nothing if all are. */
export function podsTable(status: ClusterStatus): Html {
    const rows = podGroups(status).map(
        ({ pods, node, words }) =>
            html`<tr>
                <td class="long">${pods}</td>
                <td>${node}</td>
                <td class="long">${words}</td>
            </tr>`,
    );
    return rows.length === 0 ? nothing : card("Pods that are not as wanted", table(["Pod", "Node", "State"], rows));
}

/** The title of a column; a column of numbers is aligned to the right. */
type Column = string | { readonly number: string };

function table(columns: readonly Column[], rows: readonly Html[]): Html {
    const heads = columns.map((column) =>
        typeof column === "string" ? html`<th>${column}</th>` : html`<th class="number">${column.number}</th>`,
    );
    return html`<div class="scroll">
        <table>
            <tr>
                ${heads}
            </tr>
            ${rows}
        </table>
    </div>`;
}

/** A card of something that may not be known. */
function readingCard<T>(title: string, reading: Reading<T>, show: (value: T) => Html): Html {
    return card(
        title,
        reading.known ? show(reading.value) : html`<p>${state("not known", "unknown")} ${reading.why}</p>`,
    );
}

function state(words: string, look: "good" | "warn" | "bad" | "unknown" | "plain"): Html {
    return look === "plain" ? html`${words}` : html`<span class="state ${look}">${words}</span>`;
}
