import type { JournalEntry, WaitEntry } from "../../provider/lifecycle/journal/journalOperation";
import { table } from "../htmlTable";
import { type Html, html, nothing, prose } from "../htmlText";
import type { TimelineOperation } from "./clusterTimeline";
import {
    clock,
    entryWords,
    evidenceWords,
    lasted,
    planWords,
    stateWords,
    subjectOf,
    waitLength,
    whyWords,
} from "./timelineWords";

/** How many of the longest waits are shown. */
const mostWaits = 3;

/** Draws what one operation did: its end, its plan, its longest waits, and each entry. */
export function operationDetails(operation: TimelineOperation): Html {
    const { what, holder, state, why, plan, entries, dropped, began, lastAt } = operation;
    const looks = { done: "good", running: "warn", stopped: "warn", failed: "bad", interrupted: "bad" } as const;
    const left = plan === undefined ? 0 : plan.of - plan.lines.length;
    return html`<div class="operation">
        <h3><span class="state ${looks[state]}">${state}</span> ${what}</h3>
        <p class="soft">
            ${clock(began, lastAt - began)}, ${stateWords(operation)}, by ${holder}, ${planWords(operation)}
        </p>
        ${why === undefined ? nothing : html`<p class="why bad">${prose(why)}</p>`} ${longestWaits(operation)}
        ${
            plan === undefined
                ? nothing
                : html`<details>
                      <summary>Plan ${plan.digest}</summary>
                      <ul>
                          ${plan.lines.map((line) => html`<li>${prose(line)}</li>`)}${left > 0 ? html`<li>… ${left} more</li>` : nothing}
                      </ul>
                  </details>`
        }
        ${
            entries.length === 0
                ? nothing
                : html`<details class="entries">
                      <summary>
                          ${entries.length} ${entries.length === 1 ? "entry" : "entries"}: what was done, why, and what
                          was waited for${dropped === undefined ? "" : `; ${dropped} earlier ones were dropped`}
                      </summary>
                      ${table(
                          `Entries of ${what}`,
                          ["Time", "Pod, member or store", "What"],
                          entries.map((entry) => entryRow(entry, operation)),
                      )}
                  </details>`
        }
    </div>`;
}

function longestWaits({ entries, lastAt }: TimelineOperation): Html {
    const waits = entries
        .filter((entry): entry is WaitEntry => entry.is === "wait" && waitLength(entry, lastAt) >= 1_000)
        .sort((one, other) => waitLength(other, lastAt) - waitLength(one, lastAt))
        .slice(0, mostWaits)
        .map((wait) => `${lasted(waitLength(wait, lastAt))} for ${wait.target}: ${whyWords(wait)}`);
    return waits.length === 0
        ? nothing
        : html`<p class="soft">Longest waits:</p>
              <ul class="soft">
                  ${waits.map((words) => html`<li>${prose(words)}</li>`)}
              </ul>`;
}

function entryRow(entry: JournalEntry, { began, lastAt }: TimelineOperation): Html {
    const evidence = entry.is === "act" ? evidenceWords(entry) : [];
    return html`<tr>
        <td>${clock(entry.at, lastAt - began)}</td>
        <td>${subjectOf(entry)}</td>
        <td class="long">
            ${prose(entryWords(entry, lastAt))}${evidence.map((line) => html`<div class="evidence">${line}</div>`)}
        </td>
    </tr>`;
}
