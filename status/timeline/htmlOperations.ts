import type { JournalEntry, WaitEntry } from "../../provider/lifecycle/journal/journalOperation";
import { type Html, html, nothing } from "../htmlText";
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
} from "./timelineWords";

/** How many of the longest waits are shown. */
const mostWaits = 3;

/** Draws what one operation did: its end, its plan, its longest waits, and each entry. */
export function operationDetails(operation: TimelineOperation): Html {
    const { what, holder, state, why, plan, entries, dropped, began } = operation;
    const looks = { done: "good", running: "warn", stopped: "warn", failed: "bad", interrupted: "bad" } as const;
    const left = plan === undefined ? 0 : plan.of - plan.lines.length;
    return html`<div class="operation">
        <span class="state ${looks[state]}">${state}</span> <strong>${what}</strong>
        <span class="soft">${clock(began)}, ${stateWords(operation)}, by ${holder}, ${planWords(operation)}</span>
        ${why === undefined ? nothing : html`<p class="bad">${why}</p>`} ${longestWaits(operation)}
        ${
            plan === undefined
                ? nothing
                : html`<details>
                      <summary>Plan ${plan.digest}</summary>
                      <ul>
                          ${plan.lines.map((line) => html`<li>${line}</li>`)}${left > 0 ? html`<li>… ${left} more</li>` : nothing}
                      </ul>
                  </details>`
        }
        ${
            entries.length === 0
                ? nothing
                : html`<details>
                      <summary>
                          ${entries.length}
                          entries${dropped === undefined ? "" : `; ${dropped} earlier ones were dropped`}
                      </summary>
                      <div class="scroll">
                          <table class="entries">
                              ${entries.map((entry) => entryRow(entry, operation))}
                          </table>
                      </div>
                  </details>`
        }
    </div>`;
}

function longestWaits({ entries, lastAt }: TimelineOperation): Html {
    const waits = entries
        .filter((entry): entry is WaitEntry => entry.is === "wait" && waitLength(entry, lastAt) >= 1_000)
        .sort((one, other) => waitLength(other, lastAt) - waitLength(one, lastAt));
    return waits.length === 0
        ? nothing
        : html`<p class="soft">
              longest waits:
              ${waits
                  .slice(0, mostWaits)
                  .map((wait) => `${lasted(waitLength(wait, lastAt))} for ${wait.target}: ${wait.why}`)
                  .join(" · ")}
          </p>`;
}

function entryRow(entry: JournalEntry, { lastAt }: TimelineOperation): Html {
    const evidence = entry.is === "act" ? evidenceWords(entry) : [];
    return html`<tr>
        <td>${clock(entry.at)}</td>
        <td>${subjectOf(entry)}</td>
        <td class="long">
            ${entryWords(entry, lastAt)}${evidence.map((line) => html`<div class="evidence">${line}</div>`)}
        </td>
    </tr>`;
}
