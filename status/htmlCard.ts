import type { Reading } from "./reading";
import { type Html, html } from "./htmlText";

/** A part of a page with a title of its own. */
export function card(title: string, content: Html): Html {
    return html`<section class="card">
        <h2>${title}</h2>
        ${content}
    </section>`;
}

/** A card of something that may not be known. */
export function readingCard<T>(title: string, reading: Reading<T>, show: (value: T) => Html): Html {
    return card(
        title,
        reading.known ? show(reading.value) : html`<p>${state("not known", "unknown")} ${reading.why}</p>`,
    );
}

/** A word that is good or bad; `plain` is neither. */
export function state(words: string, look: "good" | "warn" | "bad" | "unknown" | "plain"): Html {
    return look === "plain" ? html`${words}` : html`<span class="state ${look}">${words}</span>`;
}
