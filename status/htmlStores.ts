import type { ClusterStatus, StoreStatus } from "./clusterStatus";
import { readingCard, state } from "./htmlCard";
import { type Column, table } from "./htmlTable";
import { type Html, html, nothing } from "./htmlText";
import { diskWords, evictedWords, unknownMark } from "./statusWords";

const columns: readonly Column[] = [
    { number: "Id" },
    "Pod",
    "Engine",
    "State",
    { number: "Leaders" },
    { number: "Regions" },
    "Disk",
    "Leaders evicted",
];

/** Of more stores than this, those that are as wanted are folded away. */
const fewStores = 40;

/** Writes the table of the stores. */
export function storesTable(status: ClusterStatus): Html {
    return readingCard("Stores", status.stores, (stores) => {
        const tableOf = (title: string, some: readonly StoreStatus[]): Html =>
            table(
                title,
                columns,
                some.map((store) => storeRow(status, store)),
            );
        if (stores.length === 0) {
            return html`<p>PD lists none.</p>`;
        }
        if (stores.length <= fewStores) {
            return tableOf("Stores", stores);
        }
        const notable = stores.filter((store) => isNotable(status, store));
        return html`<p>${stores.length} stores: ${stateCounts(stores)}.</p>
            ${
                notable.length === 0
                    ? html`<p>Each is Up, and has a tenth of its disk free or more.</p>`
                    : html`<p>These are not Up, have an almost full or unknown disk, or have leaders evicted:</p>
                          ${tableOf("Stores that need a look", notable)}`
            }
            <details>
                <summary>All ${stores.length} stores</summary>
                ${tableOf("All stores", stores)}
            </details>`;
    });
}

/** How many stores are in each state, the most frequent first: `298 Up, 2 Down`. */
function stateCounts(stores: readonly StoreStatus[]): string {
    const counts = new Map<string, number>();
    for (const { state: word } of stores) {
        counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    return [...counts]
        .sort(([, one], [, other]) => other - one)
        .map(([word, count]) => `${count} ${word}`)
        .join(", ");
}

function isNotable(status: ClusterStatus, store: StoreStatus): boolean {
    const free = freeShare(store);
    return store.state !== "Up" || free === undefined || free < almostFull || evictedWords(status, store) !== "";
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

/** A disk with less than this share free is almost full: TiKV's own limit is near (raftstore's almost-full). */
const almostFull = 0.1;

/** The share of a store's disk that is free; undefined if it is not known. */
function freeShare({ capacityBytes, availableBytes }: StoreStatus): number | undefined {
    return capacityBytes === null || availableBytes === null || capacityBytes === 0
        ? undefined
        : Math.min(1, availableBytes / capacityBytes);
}

/** The bar and the words beside it say what is used; what is free follows. */
function disk(store: StoreStatus): Html {
    const free = freeShare(store);
    if (free === undefined) {
        return html`${diskWords(store)}`;
    }
    const used = Math.round((1 - free) * 100);
    const isFull = free < almostFull;
    return html`<span class="disk"><i class="${isFull ? "full" : "used"}" style="width: ${used}%"></i></span>${used}%
        used, ${diskWords(store)} free ${isFull ? state("almost full", "bad") : nothing}`;
}
