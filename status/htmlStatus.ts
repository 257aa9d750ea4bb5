import type { Condition } from "../topology/readyCondition";
import type { Check, ClusterStatus } from "./clusterStatus";
import { shortened } from "./conditions";
import { places } from "./htmlPlaces";
import { htmlPage } from "./htmlPage";
import { storesTable } from "./htmlStores";
import { membersTable, pdTable, podsTable } from "./htmlTables";
import { type Html, html, nothing, prose } from "./htmlText";
import { approvalWords, consentWords, evictionWords, jobLines, operationWords, waitingWords } from "./statusWords";

/** Writes a status as one HTML page that needs nothing else. */
export function htmlStatus(status: ClusterStatus): string {
    return htmlPage(
        `TidbCluster ${status.namespace}/${status.name}`,
        html`${header(status)} ${remarks(status)} ${notKnown(status)} ${waitForApproval(status)} ${operation(status)}
            ${places(status)} ${podsTable(status)}
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
        ${conditions.map(({ status, reason, message }) => html`<p>${status === "True" ? "" : `${reason}: `}${prose(message)}</p>`)}
        <p class="soft">
            read at ${at.slice(0, 19).replace("T", " ")}Z with the context ${kubernetes.context} from
            ${kubernetes.server}; ${stack === null ? "no stack is recorded as the owner" : `stack ${stack} owns it`}
        </p>
        <ul class="checks">
            ${checks.filter(({ result }) => result !== "absent").map((check) => checkItem(check, conditions))}
        </ul>
    </section>`;
}

function badge({ status }: Condition): Html {
    const looks = { True: "good", False: "bad", Unknown: "unknown" } as const;
    const words = { True: "Ready", False: "not Ready", Unknown: "not known" } as const;
    return html`<span class="badge ${looks[status]}">${words[status]}</span>`;
}

/** What a check has found is shown once: of the one that decides as the condition's message, of what is not known in a list. */
function checkItem({ reason, claim, result, findings }: Check, conditions: readonly Condition[]): Html {
    const looks = { passed: "good", failed: "bad", "not known": "unknown", absent: "unknown" } as const;
    const marks = { passed: "✓", failed: "✕", "not known": "?", absent: "–" } as const;
    const isSaid = result !== "failed" || conditions.some((condition) => condition.reason === reason);
    return html`<li class="${looks[result]}">
        <b role="img" aria-label="${result}:">${marks[result]}</b>
        ${result === "failed" ? reason : claim}${isSaid ? "" : html`: ${prose(shortened(findings))}`}
    </li>`;
}

function remarks({ remarks: lines }: ClusterStatus): Html {
    return html`${lines.map(({ message }) => html`<div class="note warn"><p>${prose(message)}</p></div>`)}`;
}

function notKnown({ notKnown: lines }: ClusterStatus): Html {
    return lines.length === 0
        ? nothing
        : html`<div class="note unknown">
              <h2>Not known</h2>
              <ul>
                  ${lines.map((line) => html`<li>${prose(line)}</li>`)}
              </ul>
          </div>`;
}

function waitForApproval({ waiting, approvals, consents, jobs, at }: ClusterStatus): Html {
    const runs = waiting.map(
        (one) => html`<div class="note"><p>waiting, without the lock: ${prose(waitingWords(one, at))}</p></div>`,
    );
    const ofJobs = jobLines({ jobs, at }).map((line) => html`<div class="note"><p>job: ${prose(line)}</p></div>`);
    const waits = approvals.map(
        (one) =>
            html`<div class="note warn">
                <h2>Waits for approval</h2>
                <p>${prose(approvalWords(one, at))}</p>
            </div>`,
    );
    const given = consents.map(
        (one) => html`<div class="note"><p>consent: ${prose(consentWords(one, approvals))}</p></div>`,
    );
    return html`${runs}${waits}${given}${ofJobs}`;
}

function operation({ operation: run, evictions, at }: ClusterStatus): Html {
    if (run === null && evictions.length === 0) {
        return nothing;
    }
    return html`<div class="note warn">
        ${
            run === null
                ? html`<h2>No run holds the lock</h2>`
                : html`<h2>In progress</h2>
                      <p>${prose(operationWords(run, at))}</p>`
        }
        <ul>
            ${(run?.pending ?? []).map((line) => html`<li>${prose(line)}</li>`)}${evictions.map((one) => html`<li>eviction: ${prose(evictionWords(one, at))}</li>`)}
        </ul>
    </div>`;
}
