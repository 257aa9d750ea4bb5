import { otherThanTags } from "./remarks";
import { volumesWords } from "./claimStatus";
import type { ClusterStatus, DiscoveryStatus, MemberStatus, PdMemberStatus } from "./clusterStatus";
import { card, readingCard, state } from "./htmlCard";
import { table } from "./htmlTable";
import { type Html, html, nothing } from "./htmlText";
import { podGroups, readyWords, revisionWords, runningWords, unknownMark } from "./statusWords";

/** Writes the table of the members, with discovery. */
export function membersTable({ members, discovery }: ClusterStatus): Html {
    const columns = ["Member", "Ready", "Version wanted", "Running", "Newest revision", "Volumes"];
    return card("Members", table("Members", columns, [...members.map(memberRow), discoveryRow(discovery)]));
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
              <td></td>
          </tr>`;
}

function memberRow(member: MemberStatus): Html {
    const isWhole = member.ready === member.wanted && member.replicas === member.wanted;
    const isCurrent =
        member.tags.every(({ version }) => version === member.version) && otherThanTags([member]).length === 0;
    return html`<tr>
        <td>${member.title}</td>
        <td>${state(readyWords(member), isWhole ? "good" : "warn")}</td>
        <td>${member.version ?? "-"}</td>
        <td>${state(runningWords(member), isCurrent ? "plain" : "warn")}</td>
        <td>${revisionWords(member)}</td>
        <td>${volumesWords(member)}</td>
    </tr> `;
}

/** Writes the table of PD's members. */
export function pdTable({ pd }: ClusterStatus): Html {
    return readingCard("PD", pd, (members) => table("PD", ["Member", "Health", "Leader"], members.map(pdRow)));
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
    const title = "Pods that are not as wanted";
    return rows.length === 0 ? nothing : card(title, table(title, ["Pod", "Node", "State"], rows));
}
