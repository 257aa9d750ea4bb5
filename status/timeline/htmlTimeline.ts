import { htmlPage } from "../htmlPage";
import { type Html, html, nothing } from "../htmlText";
import { type Chart, chartsOf } from "./charts";
import type { ClusterTimeline, TimelineOperation } from "./clusterTimeline";
import { chartOf, isDense, quietPods } from "./htmlChart";
import { operationDetails } from "./htmlOperations";
import { timelineStyle } from "./timelineStyle";
import { clock, countWords, dayAndClock, lasted, phaseWords } from "./timelineWords";

/** Writes a timeline as one HTML page that needs nothing else. */
export function htmlTimeline(timeline: ClusterTimeline): string {
    const title = `TidbCluster ${timeline.namespace}/${timeline.name}: timeline`;
    const charts = chartsOf(timeline);
    return htmlPage(title, html`${header(timeline, charts)} ${charts.map(chartCard)}`, timelineStyle);
}

function header(timeline: ClusterTimeline, charts: readonly Chart[]): Html {
    const { namespace, name, at, kubernetes, operations, unreadable } = timeline;
    const count = countWords(timeline);
    return html`<section class="card">
            <h1>TidbCluster ${namespace}/${name}: timeline</h1>
            <p>${count[0].toUpperCase()}${count.slice(1)}.${operations.length === 0 ? "" : " Times are UTC."}</p>
            <p class="soft">
                read at ${dayAndClock(at)} with the context ${kubernetes.context} from ${kubernetes.server}
            </p>
            ${legend(charts.some(isDense))}
        </section>
        ${
            unreadable.length === 0
                ? nothing
                : html`<div class="note unknown">
                      <h2>Not readable</h2>
                      <ul>
                          ${unreadable.map((line) => html`<li>${line}</li>`)}
                      </ul>
                  </div>`
        }`;
}

function legend(hasThinRows: boolean): Html {
    const phases = ["evicting", "down", "starting", "leaders-back", "up", "leaving", "gone"] as const;
    return html`<ul class="legend">
            ${phases.map((phase) => html`<li><i class="bar key ${phase}"></i>${phaseWords[phase]}</li>`)}
            <li>nothing drawn: nobody watched it</li>
            <li><i class="wait key"></i>waiting</li>
            <li><i class="act"></i>an action${hasThinRows ? "; in thin rows only one that failed" : ""}</li>
        </ul>
        <p class="soft">
            Point at a bar, a wait or an action for its time, its reason and its evidence. The entries below each chart
            have them too.
        </p>`;
}

function chartCard(chart: Chart): Html {
    const { from, to, operations } = chart;
    const length = to - from;
    const isOneDay = dayAndClock(from).slice(0, 10) === dayAndClock(to).slice(0, 10);
    return html`<section class="card">
        <h2>
            ${dayAndClock(from, length)} to ${(isOneDay ? clock : dayAndClock)(to, length)}
            <span class="soft">(${lasted(length)})</span>
        </h2>
        ${operations.map(droppedNote)} ${chartOf(chart)} ${quietPods(chart)} ${operations.map(operationDetails)}
    </section>`;
}

/** Says from when on an operation is drawn, if its journal has not kept everything. */
function droppedNote({ what, dropped, entries }: TimelineOperation): Html {
    if (dropped === undefined) {
        return nothing;
    }
    const until = entries.length === 0 ? "" : ` before ${dayAndClock(entries[0].at)}`;
    return html`<div class="note unknown">
        <p>
            ${what}: what happened${until} is not drawn, because the journal is bounded and its oldest entries were
            dropped (${dropped})
        </p>
    </div>`;
}
