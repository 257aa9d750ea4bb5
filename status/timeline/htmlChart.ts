import { counted } from "../../provider/lifecycle/vocabulary/counted";
import type { PodPhase } from "../../provider/lifecycle/journal/journalOperation";
import { type Html, html, nothing } from "../htmlText";
import { marksOf } from "./axis";
import type { Bar, Chart, Row } from "./charts";
import { clock, evidenceWords, lasted, phaseWords, shortPhaseWords, whyWords } from "./timelineWords";

/** Charts with more rows than this have thin ones, without words in them. */
const mostRoomyRows = 40;
/** From here on, in percent of the axis, the label of a mark has no room on a narrow screen. */
const nearEnd = 88;

/** Whether the pods of a chart have thin rows. */
export function isDense({ rows }: Pick<Chart, "rows">): boolean {
    return rows.length > mostRoomyRows;
}

/**
 * Draws a chart. To those who see no bars it is a list of its rows, each with its name and its times in words; the reasons are in
 * the entries of the operations.
 */
export function chartOf(chart: Chart): Html {
    const marks = marksOf(chart).map(({ at, label }) => ({ label, left: percent(at, chart) }));
    const lines = marks.map(({ left }) => `linear-gradient(var(--line),var(--line)) ${left}% 0/1px 100% no-repeat`);
    return html`<div
        class="chart${isDense(chart) ? " dense" : ""}"
        style="--marks:${lines.join(",") || "none"}"
        role="list"
        aria-label="Operations and pods"
    >
        <div class="row axis" aria-hidden="true">
            <div class="marks">
                ${marks.map(({ label, left }) => html`<span${left > nearEnd ? html` class="end"` : nothing} style="left:${left}%">${label}</span>`)}
            </div>
        </div>
        ${chart.rows.map((row) => rowOf(row, chart))}
    </div>`;
}

function rowOf(row: Row, chart: Chart): Html {
    const { name, isOperation, bars, waits } = row;
    const isThin = isDense(chart) && !isOperation;
    const actions = row.actions.filter(({ failed }) => !isThin || failed !== undefined);
    const length = chart.to - chart.from;
    return html`<div class="row${isOperation ? " run" : ""}" role="listitem">
        <div class="name" title="${name}">${name}</div>
        <div class="track" aria-hidden="true">
            ${bars.map((bar) => barOf(bar, name, chart, isThin))}${waits.map(
                (wait) =>
                    html`<i
                        class="wait"
                        style="${place(wait.at, wait.until, chart)}"
                        title="${name}, ${clock(wait.at, length)}: waiting ${lasted(wait.until - wait.at)} (${wait.step}): ${whyWords(wait)}"
                        >${isThin ? nothing : html`<b>${whyWords(wait)}</b>`}</i
                    >`,
            )}${actions.map(
                (act) =>
                    html`<i
                        class="act${act.failed === undefined ? "" : " failed"}"
                        style="left:${percent(act.at, chart)}%"
                        title="${[`${clock(act.at, length)}: ${act.words}`, ...(act.failed === undefined ? [] : [act.failed]), ...evidenceWords(act)].join("\n")}"
                    ></i>`,
            )}
        </div>
        <div class="sums">${isOperation ? stateOf(row) : sumsOf(row, chart)}</div>
    </div>`;
}

function stateOf({ bars: [{ phase, from, to }] }: Row): string {
    return `${phase}, ${lasted(to - from)}`;
}

/** When a pod was first not Up, and how long it was in each phase: bars of minutes are thin in a chart of hours. */
function sumsOf({ bars }: Row, { from, to, isCut }: Chart): string {
    const busy = bars.filter(({ phase }) => phase !== "up");
    if (busy.length === 0) {
        const restart = bars.find(({ isNew }) => isNew);
        return restart ? `${clock(restart.from, to - from)} restarted` : isCut ? "nothing recorded" : "Up";
    }
    const sums = new Map<Bar["phase"], number>();
    for (const bar of busy) {
        sums.set(bar.phase, (sums.get(bar.phase) ?? 0) + bar.to - bar.from);
    }
    const words = [...sums].map(([phase, sum]) => `${wordsOf(phase, shortPhaseWords)} ${lasted(sum)}`);
    return `${clock(busy[0].from, to - from)} ${words.join(", ")}`;
}

function wordsOf(phase: Bar["phase"], words: Readonly<Record<PodPhase, string>>): string {
    return phase in words ? words[phase as PodPhase] : phase;
}

function barOf(bar: Bar, name: string, chart: Chart, isThin: boolean): Html {
    const { from, to, phase, why, last } = bar;
    const length = chart.to - chart.from;
    const reason = why === undefined ? "" : `: ${whyWords({ why, last })}`;
    const title = `${name}, ${clock(from, length)} to ${clock(to, length)} (${lasted(to - from)}): ${wordsOf(phase, phaseWords)}${reason}`;
    return html`<i class="bar ${phase}" style="${place(from, to, chart)}" title="${title}"
        >${isThin ? nothing : html`<b>${wordsOf(phase, shortPhaseWords)}</b>`}</i
    >`;
}

function place(from: number, to: number, chart: Chart): string {
    return `left:${percent(from, chart)}%;width:${Number((((to - from) / (chart.to - chart.from)) * 100).toFixed(3))}%`;
}

function percent(at: number, { from, to }: Chart): number {
    return Number((((at - from) / (to - from)) * 100).toFixed(3));
}

/** Names the pods that have no row. */
export function quietPods({ quiet, isCut }: Chart): Html {
    if (quiet.length === 0) {
        return nothing;
    }
    const count = counted(quiet.length, "more pod");
    return html`<details>
        <summary>
            ${
                isCut
                    ? `${count} without a row: the entries that are left say nothing of them, the dropped ones may`
                    : `${count} ${quiet.length === 1 ? "was" : "were"} Up all the time, and nothing was done with ${quiet.length === 1 ? "it" : "them"}`
            }
        </summary>
        <p class="soft">${quiet.join(", ")}</p>
    </details>`;
}
