/** What the page of a timeline adds to the style of a status. Light and dark, like that one. */
export const timelineStyle = `
:root { --up: #b5dcc5; --evicting: #e0a12c; --down: #d9483b; --back: #3d7fd9; --leaving: #8a6bd1; --gone: #aeb6c1; --wait: #1c2430; }
@media (prefers-color-scheme: dark) {
    :root { --up: #2a5a44; --evicting: #d9a441; --down: #e5675b; --back: #6ba4f0; --leaving: #a98bf0; --gone: #566171; --wait: #e4e9f0; }
}
.chart { position: relative; display: grid; grid-template-columns: max-content minmax(0, 1fr) max-content; column-gap: 10px; }
.axis { position: sticky; top: 0; z-index: 3; height: 22px; background: var(--card); font-size: 11px; color: var(--soft); }
.axis span { position: absolute; bottom: 2px; transform: translateX(-50%); white-space: nowrap; font-variant-numeric: tabular-nums; }
.name { font-size: 12px; line-height: 38px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 260px; }
.name.run { font-weight: 600; }
.sums { font-size: 11px; line-height: 38px; color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
.track { position: relative; height: 38px; border-bottom: 1px solid var(--line); overflow: hidden; background: var(--marks); }
.bar, .wait, .act { position: absolute; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; font-style: normal; text-indent: 4px; }
.bar { top: 3px; height: 17px; min-width: 2px; border-radius: 2px; font-size: 11px; line-height: 17px; color: #fff; }
.bar.up { background: var(--up); color: var(--text); }
.bar.evicting { background: var(--evicting); color: #241a04; }
.bar.down { background: var(--down); }
.bar.leaders-back { background: var(--back); }
.bar.leaving { background: var(--leaving); }
.bar.gone { background: var(--gone); color: var(--text); }
.bar.done { background: color-mix(in srgb, var(--good) 75%, var(--card)); }
.bar.running { background: var(--back); }
.bar.stopped { background: var(--evicting); color: #241a04; }
.bar.failed, .bar.interrupted { background: var(--down); }
.bar.interrupted { border-right: 4px double var(--text); }
.wait { top: 21px; height: 14px; min-width: 2px; border-radius: 2px; font-size: 10px; line-height: 12px; color: var(--text);
    border: 1px solid var(--soft); background: repeating-linear-gradient(45deg, transparent 0 4px, color-mix(in srgb, var(--wait) 10%, transparent) 4px 6px), var(--card); }
.act { top: 1px; width: 4px; height: 21px; margin-left: -2px; background: var(--wait); border-radius: 1px; border: 1px solid var(--card); }
.act.failed { background: var(--down); }
.dense .name:not(.run), .dense .sums:not(.run) { font-size: 10px; line-height: 13px; }
.dense .track:not(.run) { height: 13px; border-bottom: 0; }
.dense .track:not(.run) .bar { top: 2px; height: 9px; font-size: 0; border-radius: 0; }
.dense .track:not(.run) .bar.up { top: 5px; height: 3px; }
.dense .track:not(.run) .wait { top: 10px; height: 2px; font-size: 0; border: 0; border-radius: 0; background: var(--soft); }
.dense .track:not(.run) .act { top: 0; height: 13px; width: 3px; background: transparent; border: 0; }
.dense .track:not(.run) .act.failed { background: var(--down); }
@media (max-width: 900px) { .chart { grid-template-columns: max-content minmax(0, 1fr); } .sums, .chart > .axis:nth-child(3) { display: none; } }
.key { display: inline-block; position: static; width: 26px; height: 11px; min-width: 0; padding: 0; }
.legend .act { position: static; height: 15px; margin: 0; }
.chart { margin-bottom: 12px; } details { margin: 6px 0; } summary { cursor: pointer; }
.entries td { font-size: 12px; vertical-align: top; padding-top: 2px; padding-bottom: 2px; }
.entries .evidence { color: var(--soft); font-size: 11px; }
.operation { border-top: 1px solid var(--line); padding: 8px 0; } .operation:first-child { border-top: 0; }
`;
