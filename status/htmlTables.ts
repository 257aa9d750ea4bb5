import type { ClusterStatus, MemberStatus, PdMemberStatus, StoreStatus } from "./clusterStatus";
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
    return html`<section class="card">
        <h2>Members</h2>
        <div class="scroll">
            <table>
                <tr>
                    <th>Member</th>
                    <th>Ready</th>
                    <th>Version wanted</th>
                    <th>Running</th>
                    <th>Newest revision</th>
                </tr>
                ${members.map(memberRow)}${
                    discovery === null
                        ? nothing
                        : html`<tr>
                              <td>Discovery</td>
                              <td>
                                  ${state(`${discovery.ready}/${discovery.wanted}`, discovery.ready >= discovery.wanted ? "good" : "warn")}
                              </td>
                              <td>${discovery.image ?? "-"}</td>
                              <td>-</td>
                              <td>${discovery.upToDate} of ${discovery.wanted}</td>
                          </tr>`
                }
            </table>
        </div>
    </section>`;
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
    return html`<section class="card">
        <h2>PD</h2>
        ${
            pd.known
                ? html`<div class="scroll">
                      <table>
                          <tr>
                              <th>Member</th>
                              <th>Health</th>
                              <th>Leader</th>
                          </tr>
                          ${pd.value.map(pdRow)}
                      </table>
                  </div>`
                : html`<p>${state("not known", "unknown")} ${pd.why}</p>`
        }
    </section>`;
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

/** Writes the table of the stores. */
export function storesTable(status: ClusterStatus): Html {
    const { stores } = status;
    if (!stores.known) {
        return html`<section class="card">
            <h2>Stores</h2>
            <p>${state("not known", "unknown")} ${stores.why}</p>
        </section>`;
    }
    return html`<section class="card">
        <h2>Stores</h2>
        ${
            stores.value.length === 0
                ? html`<p>PD lists none.</p>`
                : html`<div class="scroll">
                      <table>
                          <tr>
                              <th class="number">Id</th>
                              <th>Pod</th>
                              <th>Engine</th>
                              <th>State</th>
                              <th class="number">Leaders</th>
                              <th class="number">Regions</th>
                              <th>Free disk</th>
                              <th>Leaders evicted</th>
                          </tr>
                          ${stores.value.map((store) => storeRow(status, store))}
                      </table>
                  </div>`
        }
    </section>`;
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
    return rows.length === 0
        ? nothing
        : html`<section class="card">
              <h2>Pods that are not as wanted</h2>
              <div class="scroll">
                  <table>
                      <tr>
                          <th>Pod</th>
                          <th>Node</th>
                          <th>State</th>
                      </tr>
                      ${rows}
                  </table>
              </div>
          </section>`;
}

function state(words: string, look: "good" | "warn" | "bad" | "unknown" | "plain"): Html {
    return look === "plain" ? html`${words}` : html`<span class="state ${look}">${words}</span>`;
}
