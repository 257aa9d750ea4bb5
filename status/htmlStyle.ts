/** The style of the page: light and dark, as the reader's system asks for. It loads nothing. */
export const style = `
:root { color-scheme: light dark; --page: #f5f6f8; --card: #fff; --line: #d9dde3; --text: #1c2430; --soft: #5c6878;
    --good: #14703f; --good-back: #e3f4ea; --warn: #8a5a00; --warn-back: #fff1d6; --bad: #b3261e; --bad-back: #fde7e5;
    --unknown: #5b3fa8; --unknown-back: #ece6fb; --saturation: 60%; --lightness: 45%; }
@media (prefers-color-scheme: dark) {
    :root { --page: #12161c; --card: #1b212a; --line: #323b48; --text: #e4e9f0; --soft: #9aa7b8;
        --good: #67d49a; --good-back: #16352a; --warn: #f0be62; --warn-back: #3a2e14; --bad: #ff9088; --bad-back: #43201e;
        --unknown: #c1aaff; --unknown-back: #2e2647; --lightness: 62%; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 24px; background: var(--page); color: var(--text);
    font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 1500px; margin: 0 auto; }
h1 { font-size: 22px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0 0 10px; }
p { margin: 4px 0; overflow-wrap: anywhere; }
b { font-weight: inherit; }
code { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--soft); outline-offset: 2px; }
.soft { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 0 0 16px; }
.card > :last-child { margin-bottom: 0; }
.head { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.badge { border-radius: 999px; padding: 2px 12px; font-weight: 600; white-space: nowrap; }
.checks { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 10px; padding: 0; list-style: none; }
.checks li { border-radius: 4px; padding: 1px 8px; font-size: 12px; overflow-wrap: anywhere; }
.good { color: var(--good); background: var(--good-back); }
.warn { color: var(--warn); background: var(--warn-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.unknown { color: var(--unknown); background: var(--unknown-back); }
.note { border-left: 4px solid currentColor; padding: 8px 12px; border-radius: 4px; margin: 0 0 16px; overflow-wrap: anywhere; }
.note h2 { font-size: 14px; margin: 0; }
.note p, .note ul { color: var(--text); }
.note ul { margin: 4px 0; padding-left: 20px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: 12px; margin: 0 0 12px; padding: 0; list-style: none; }
.legend li { display: flex; align-items: center; gap: 5px; }
.swatch { width: 10px; height: 10px; border-radius: 2px; background: hsl(var(--hue) var(--saturation) var(--lightness)); }
.zones { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); gap: 12px; align-items: start; }
.zone { border: 1px solid var(--line); border-radius: 8px; padding: 10px; min-width: 0; }
.nowhere { margin-bottom: 12px; border-style: dashed; }
.zone h3 { margin: 0 0 8px; font-size: 13px; overflow-wrap: anywhere; }
.zone h3 span { font-weight: 400; color: var(--soft); }
.nodes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 150px), 1fr)); gap: 6px; }
.node { border: 1px solid var(--line); border-radius: 6px; padding: 5px 6px 6px; background: var(--page); min-width: 0; }
.node h4 { margin: 0 0 4px; font-size: 11px; font-weight: 500; color: var(--soft); overflow-wrap: anywhere; }
.pods { display: flex; flex-wrap: wrap; gap: 3px; margin: 0; padding: 0; list-style: none; }
.pod { display: inline-flex; align-items: center; gap: 4px; font-size: 11px; line-height: 16px; padding: 0 5px 0 4px; border-radius: 3px;
    border-left: 4px solid hsl(var(--hue) var(--saturation) var(--lightness)); max-width: 100%; }
.pod span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.scroll { overflow-x: auto; }
.scroll.tall { max-height: 80vh; overflow: auto; }
.tall thead th { position: sticky; top: 0; background: var(--card); box-shadow: 0 1px var(--line); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: baseline; }
td.long { white-space: normal; overflow-wrap: anywhere; min-width: 260px; }
th { font-size: 12px; color: var(--soft); font-weight: 500; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; }
.state { border-radius: 4px; padding: 0 7px; font-size: 12px; }
.disk { display: inline-block; width: 90px; height: 8px; border-radius: 4px; background: var(--line); overflow: hidden; vertical-align: middle; margin-right: 8px; }
.disk i { display: block; height: 100%; background: var(--soft); }
.disk i.full { background: var(--bad); }
.two { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); gap: 0 16px; align-items: start; }
@media (max-width: 900px) { .two { grid-template-columns: minmax(0, 1fr); } body { padding: 12px; } }
@media (max-width: 700px) {
    thead { position: absolute; clip-path: inset(50%); }
    table, tbody { display: block; }
    tr { display: flex; flex-wrap: wrap; gap: 2px 14px; padding: 6px 0; border-bottom: 1px solid var(--line); }
    tr:last-child { border-bottom: 0; }
    td { padding: 0; border: 0; white-space: normal; overflow-wrap: anywhere; }
    td.long { min-width: 0; flex-basis: 100%; }
    td:empty { display: none; }
    td::before { color: var(--soft); font-size: 12px; margin-right: 5px; }
    ${[1, 2, 3, 4, 5, 6, 7, 8].map((column) => `td:nth-child(${column})::before { content: var(--c${column}); }`).join(" ")}
}
@media print {
    * { print-color-adjust: exact; }
    body { background: none; padding: 0; }
    .node, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
    .scroll.tall { max-height: none; overflow: visible; }
}
`;
