import type { PodPhase } from "../../provider/lifecycle/journal/journalOperation";
import { htmlPage } from "../htmlPage";
import { type Html, html, nothing } from "../htmlText";
import { chartsOf, type Bar, type Chart, marksOf, type Row } from "./charts";
import { counted } from "../../provider/lifecycle/vocabulary/counted";
import type { ClusterTimeline } from "./clusterTimeline";
import { operationDetails } from "./htmlOperations";
import { timelineStyle } from "./timelineStyle";
import { clock, dayAndClock, evidenceWords, lasted, phaseWords, shortPhaseWords } from "./timelineWords";

/** Charts with more rows than this have thin ones, without words in them. */
const mostRoomyRows = 40;

/** Writes a timeline as one HTML page that needs nothing else. */
export function htmlTimeline(timeline: ClusterTimeline): string {
    const title = `TidbCluster ${timeline.namespace}/${timeline.name}: timeline`;
    return htmlPage(title, html`${header(timeline)} ${chartsOf(timeline).map(chartCard)}`, timelineStyle);
}

function header({ namespace, name, at, kubernetes, operations, unreadable }: ClusterTimeline): Html {
    const count = counted(operations.length, "operation");
    return html`<section class="card">
            <h1>TidbCluster ${namespace}/${name}: timeline</h1>
            <p>
                ${operations.length === 0 ? "The journal has no operation." : `The journal has ${count}. Times are UTC.`}
            </p>
            <p class="soft">
                read at ${dayAndClock(at)} with the context ${kubernetes.context} from ${kubernetes.server}
            </p>
            ${legend()}
        </section>
        ${
            unreadable.length === 0
                ? nothing
                : html`<div class="note unknown">
                      <strong>Not readable</strong>
                      <ul>
                          ${unreadable.map((line) => html`<li>${line}</li>`)}
                      </ul>
                  </div>`
        }`;
}

function legend(): Html {
    const phases = ["evicting", "down", "leaders-back", "up", "leaving", "gone"] as const;
    return html`<ul class="legend">
        ${phases.map((phase) => html`<li><i class="bar key ${phase}"></i>${phaseWords[phase]}</li>`)}
        <li><i class="wait key"></i>waiting: point at it for the reason</li>
        <li><i class="act"></i>an action: point at it for its evidence</li>
    </ul>`;
}

function chartCard(chart: Chart): Html {
    const { from, to, operations, rows, quiet } = chart;
    const day = dayAndClock(from);
    return html`<section class="card">
        <h2>${day} to ${clock(to)} <span class="soft">(${lasted(to - from)})</span></h2>
        <div class="chart${rows.length > mostRoomyRows ? " dense" : ""}" style="--marks:${marks(chart)}">
            <div class="axis"></div>
            <div class="axis">${axis(chart)}</div>
            <div class="axis"></div>
            ${rows.map((row) => rowOf(row, chart))}
        </div>
        ${
            quiet.length === 0
                ? nothing
                : html`<details>
                      <summary>${quiet.length} more pods were Up all the time, and nothing was done with them</summary>
                      <p class="soft">${quiet.join(", ")}</p>
                  </details>`
        }
        ${operations.map(operationDetails)}
    </section>`;
}

/** Draws the marks of the axis in the background of each row. */
function marks(chart: Chart): string {
    const line = (at: number) => `linear-gradient(var(--line),var(--line)) ${percent(at, chart)} 0/1px 100% no-repeat`;
    return marksOf(chart).map(line).join(",") || "none";
}

function axis(chart: Chart): Html[] {
    return marksOf(chart).map((at) => html`<span style="left:${percent(at, chart)}">${clock(at)}</span>`);
}

function rowOf({ name, isOperation, bars, waits, actions }: Row, chart: Chart): Html {
    const run = isOperation ? " run" : "";
    return html`<div class="name${run}" title="${name}">${name}</div>
        <div class="track${run}">
            ${bars.map((bar) => barOf(bar, name, chart))}${waits.map(
                (wait) =>
                    html`<i
                        class="wait"
                        style="${place(wait.at, wait.until, chart)}"
                        title="${name}, ${clock(wait.at)}: waiting ${lasted(wait.until - wait.at)} (${wait.step}): ${wait.why}${wait.last === undefined ? "" : `; at the end: ${wait.last}`}"
                        >${wait.why}</i
                    >`,
            )}${actions.map(
                (act) =>
                    html`<i
                        class="act${act.failed === undefined ? "" : " failed"}"
                        style="left:${percent(act.at, chart)}"
                        title="${[`${clock(act.at)}: ${act.words}`, ...(act.failed === undefined ? [] : [act.failed]), ...evidenceWords(act)].join("\n")}"
                    ></i>`,
            )}
        </div>
        <div class="sums${run}">${isOperation ? "" : sumsOf(bars)}</div>`;
}

/** How long a pod was in each phase but Up: bars of minutes are thin in a chart of hours. */
function sumsOf(bars: readonly Bar[]): string {
    const sums = new Map<Bar["phase"], number>();
    for (const { phase, from, to } of bars) {
        sums.set(phase, (sums.get(phase) ?? 0) + to - from);
    }
    sums.delete("up");
    return [...sums].map(([phase, sum]) => `${wordsOf(phase, shortPhaseWords)} ${lasted(sum)}`).join(", ");
}

function wordsOf(phase: Bar["phase"], words: Readonly<Record<PodPhase, string>>): string {
    return phase in words ? words[phase as PodPhase] : phase;
}

function barOf(bar: Bar, name: string, chart: Chart): Html {
    const why = bar.why === undefined ? "" : `: ${bar.why}`;
    const title = `${name}, ${clock(bar.from)} to ${clock(bar.to)} (${lasted(bar.to - bar.from)}): ${wordsOf(bar.phase, phaseWords)}${why}`;
    return html`<i class="bar ${bar.phase}" style="${place(bar.from, bar.to, chart)}" title="${title}"
        >${wordsOf(bar.phase, shortPhaseWords)}</i
    >`;
}

function place(from: number, to: number, chart: Chart): string {
    const width = ((to - from) / (chart.to - chart.from)) * 100;
    return `left:${percent(from, chart)};width:${width.toFixed(3)}%`;
}

function percent(at: number, { from, to }: Chart): string {
    return `${(((at - from) / (to - from)) * 100).toFixed(3)}%`;
}
