/**
 * What the page of a timeline adds to the style of a status. Light and dark, like that one. A word in a bar that has no room for
 * it wraps to a second line, which is not shown.
 */
export const timelineStyle = `
:root { --up: #b5dcc5; --edge: #4f9d73; --evicting: #c8861a; --down: #c5362b; --back: #2b68bf; --starting: #0b7480; --leaving: #7350c0; --done: #1d7a4a;
    --on-bar: #fff; --on-evicting: #1c1403; }
@media (prefers-color-scheme: dark) {
    :root { --up: #2a5a44; --edge: #3f8a66; --evicting: #d9a441; --down: #f0776c; --back: #6ba4f0; --starting: #45c4d3; --leaving: #a98bf0; --done: #67d49a;
        --on-bar: #12161c; --on-evicting: #12161c; }
}
.chart { display: grid; grid-template-columns: max-content minmax(0, 1fr) max-content; column-gap: 10px; margin-bottom: 12px; }
.row { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; break-inside: avoid; }
.axis { position: sticky; top: 0; z-index: 3; background: var(--card); font-size: 11px; color: var(--soft); }
.marks { grid-column: 2; position: relative; height: 22px; }
.marks span { position: absolute; bottom: 0; padding: 0 4px 2px; border-left: 1px solid var(--line); white-space: nowrap; font-variant-numeric: tabular-nums; }
.name { font-size: 12px; line-height: 38px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 260px; }
.run .name { font-weight: 600; }
.sums { font-size: 11px; line-height: 38px; color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
.track { position: relative; height: 38px; border-bottom: 1px solid var(--line); overflow: hidden; background: var(--marks); }
.bar, .wait, .act { position: absolute; overflow: hidden; font-style: normal; white-space: nowrap; }
.bar, .wait { display: flex; flex-wrap: wrap; align-content: flex-start; }
.bar::before, .wait::before { content: ""; height: 100%; }
.bar b { padding: 0 4px; }
.wait b { padding: 0 4px; flex: 1 1 120px; min-width: 120px; background: var(--card); color: var(--text); overflow: hidden; text-overflow: ellipsis; }
.bar { top: 3px; height: 17px; min-width: 2px; border-radius: 2px; font-size: 11px; line-height: 17px; }
.bar.up { background: var(--up); color: var(--text); box-shadow: inset 0 -2px var(--edge); }
.bar.evicting { background: var(--evicting); color: var(--on-evicting); }
.bar.down { background: var(--down); color: var(--on-bar); }
.bar.leaders-back { background: var(--back); color: var(--on-bar); }
.bar.starting { background: var(--starting); color: var(--on-bar); }
.bar.leaving { background: var(--leaving); color: var(--on-bar); }
.bar.gone { background: var(--card); color: var(--soft); border: 1px dashed var(--soft); line-height: 15px; }
.bar.done { background: var(--done); color: var(--on-bar); }
.bar.running { background: var(--back); color: var(--on-bar); }
.bar.stopped { background: var(--evicting); color: var(--on-evicting); }
.bar.failed, .bar.interrupted { background: var(--down); color: var(--on-bar); }
.bar.interrupted { border-right: 4px double var(--text); }
.wait { top: 21px; height: 15px; min-width: 2px; border-radius: 2px; font-size: 11px; line-height: 13px;
    border: 1px solid var(--soft); background: repeating-linear-gradient(45deg, var(--line) 0 2px, var(--card) 2px 6px); }
.act { top: 0; width: 4px; height: 10px; margin-left: -2px; background: var(--text); border-radius: 1px; border: 1px solid var(--card); }
.act.failed { background: var(--down); }
.dense .row:not(.run) > * { font-size: 11px; line-height: 14px; }
.dense .row:not(.run) .track { height: 14px; border-bottom: 0; }
.dense .row:not(.run) .bar { top: 4px; height: 6px; border-radius: 0; }
.dense .row:not(.run) .bar.down { top: 1px; height: 12px; }
.dense .row:not(.run) .bar.up { top: 6px; height: 2px; background: var(--edge); box-shadow: none; }
.dense .row:not(.run) .wait { top: 12px; height: 2px; border: 0; border-radius: 0; background: var(--soft); }
.dense .row:not(.run) .act { top: 0; height: 14px; border: 0; }
@media (max-width: 900px) {
    .chart { display: block; }
    .row { grid-template: "name sums" auto "track track" auto / auto minmax(0, 1fr); column-gap: 10px; }
    .marks, .track { grid-area: 2 / 1 / auto / -1; }
    .marks .end { font-size: 0; }
    .name, .sums { line-height: 20px; }
    .dense .row:not(.run) { padding-bottom: 6px; }
    .sums { white-space: normal; text-align: right; }
}
@media (max-width: 600px) { .marks span:first-child:nth-last-child(n + 5) ~ span:nth-child(even) { display: none; } }
.key { display: inline-block; position: static; width: 26px; height: 11px; min-width: 0; }
.legend .act { position: static; margin: 0; }
details { margin: 6px 0; }
.entries td { font-size: 12px; vertical-align: top; padding-top: 2px; padding-bottom: 2px; }
.entries td::before { content: none; }
.entries .evidence { color: var(--soft); font-size: 11px; overflow-wrap: anywhere; }
.operation { border-top: 1px solid var(--line); padding: 8px 0; }
.operation:last-child { padding-bottom: 0; }
.operation h3 { margin: 0; font-size: 14px; overflow-wrap: anywhere; }
.operation ul { margin: 4px 0; padding-left: 20px; overflow-wrap: anywhere; }
.why { border-radius: 4px; padding: 4px 8px; }
`;
