import { type Html, html } from "./htmlText";

/** The title of a column; a column of numbers is aligned to the right. */
export type Column = string | { readonly number: string };

/** Tables with more rows than this scroll in a box of their own, so what is below them stays near. */
const mostRows = 40;

/**
 * Writes a table in a box that scrolls, with the keyboard too. On a narrow screen a row is a paragraph: the style then writes the
 * titles of the columns, which the table has as variables, before the cells.
 * @param title what the table is called by those who cannot see where it is.
 */
export function table(title: string, columns: readonly Column[], rows: readonly Html[]): Html {
    const titles = columns.map((column) => (typeof column === "string" ? column : column.number));
    const labels = titles.map((one, index) => `--c${index + 1}:"${one}"`).join(";");
    return html`<div
        class="scroll${rows.length > mostRows ? " tall" : ""}"
        role="region"
        aria-label="${title}"
        tabindex="0"
    >
        <table style="${labels}">
            <thead>
                <tr>
                    ${columns.map((column, index) =>
                        typeof column === "string"
                            ? html`<th scope="col">${titles[index]}</th>`
                            : html`<th scope="col" class="number">${titles[index]}</th>`,
                    )}
                </tr>
            </thead>
            <tbody>
                ${rows}
            </tbody>
        </table>
    </div>`;
}
