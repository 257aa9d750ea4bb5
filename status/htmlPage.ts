import { style } from "./htmlStyle";
import { Html, html } from "./htmlText";

/** A browser that follows it loads nothing and runs nothing, even if a name were not escaped. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Writes one HTML page that needs nothing else. @param moreStyle what this page adds to the style. Default: nothing. */
export function htmlPage(title: string, content: Html, moreStyle = ""): string {
    return html`<!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta http-equiv="Content-Security-Policy" content="${policy}" />
                <title>${title}</title>
                <style>
                    ${new Html(style + moreStyle)}
                </style>
            </head>
            <body>
                <main>${content}</main>
            </body>
        </html> `.text;
}
