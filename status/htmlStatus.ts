import type { Condition } from "../topology/readyCondition";
import type { Check, ClusterStatus } from "./clusterStatus";
import { places } from "./htmlPlaces";
import { htmlPage } from "./htmlPage";
import { membersTable, pdTable, podsTable, storesTable } from "./htmlTables";
import { type Html, html, nothing } from "./htmlText";
import { approvalWords, evictionWords, operationWords } from "./statusWords";

/** Writes a status as one HTML page that needs nothing else. */
export function htmlStatus(status: ClusterStatus): string {
    return htmlPage(
        `TidbCluster ${status.namespace}/${status.name}`,
        html`${header(status)} ${remarks(status)} ${notKnown(status)} ${operation(status)} ${places(status)}
            ${podsTable(status)}
            <div class="two">${membersTable(status)}${pdTable(status)}</div>
            ${storesTable(status)}`,
    );
}

function header({ name, namespace, at, kubernetes, stack, conditions, checks }: ClusterStatus): Html {
    return html`<section class="card">
        <div class="head">
            <h1>TidbCluster ${namespace}/${name}</h1>
            ${conditions.map(badge)}
        </div>
        ${conditions.map(({ status, reason, message }) => html`<p>${status === "True" ? "" : `${reason}: `}${message}</p>`)}
        <p class="soft">
            read at ${at} with the context ${kubernetes.context} from ${kubernetes.server};
            ${stack === null ? "no stack is recorded as the owner" : `stack ${stack} owns it`}
        </p>
        <ul class="checks">
            ${checks.filter(({ result }) => result !== "absent").map(checkItem)}
        </ul>
    </section>`;
}

function badge({ status }: Condition): Html {
    const looks = { True: "good", False: "bad", Unknown: "unknown" } as const;
    const words = { True: "Ready", False: "not Ready", Unknown: "not known" } as const;
    return html`<span class="badge ${looks[status]}">${words[status]}</span>`;
}

function checkItem({ reason, claim, result, findings }: Check): Html {
    const looks = { passed: "good", failed: "bad", "not known": "unknown", absent: "unknown" } as const;
    const marks = { passed: "✓", failed: "✕", "not known": "?", absent: "–" } as const;
    return html`<li class="${looks[result]}" title="${[result, ...findings].join("; ")}">
        ${marks[result]} ${result === "failed" ? reason : claim}
    </li>`;
}

function remarks({ remarks: lines }: ClusterStatus): Html {
    return html`${lines.map((line) => html`<div class="note warn"><p>${line}</p></div>`)}`;
}

function notKnown({ notKnown: lines }: ClusterStatus): Html {
    return lines.length === 0
        ? nothing
        : html`<div class="note unknown">
              <strong>Not known</strong>
              <ul>
                  ${lines.map((line) => html`<li>${line}</li>`)}
              </ul>
          </div>`;
}

function operation({ operation: run, approval, evictions, at }: ClusterStatus): Html {
    if (run === null && approval === null && evictions.length === 0) {
        return nothing;
    }
    return html`<div class="note warn">
        ${
            run === null
                ? html`<strong>No operation is in progress</strong>`
                : html`<strong>In progress</strong>
                      <p>${operationWords(run, at)}</p>`
        }
        <ul>
            ${(run?.pending ?? []).map((line) => html`<li>${line}</li>`)}${approval === null ? nothing : html`<li>${approvalWords(approval, at)}</li>`}${evictions.map((one) => html`<li>eviction: ${evictionWords(one, at)}</li>`)}
        </ul>
    </div>`;
}
