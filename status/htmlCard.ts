import { type Html, html } from "./htmlText";

/** A part of a page with a title of its own. */
export function card(title: string, content: Html): Html {
    return html`<section class="card">
        <h2>${title}</h2>
        ${content}
    </section>`;
}
