import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { sinceOf, timeline } from "../../../../bin/timelineCommand";
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { assembleTimeline } from "../../../../status/timeline/assembleTimeline";
import { chartsOf } from "../../../../status/timeline/charts";
import { htmlTimeline } from "../../../../status/timeline/htmlTimeline";
import type { TimelineSources } from "../../../../status/timeline/readTimeline";
import { timelineStyle } from "../../../../status/timeline/timelineStyle";
import { phaseWords } from "../../../../status/timeline/timelineWords";
import { textTimeline } from "../../../../status/timeline/textTimeline";
import { elementsOf, parseHtml, textOf } from "../../../support/parseHtml";
import { halfPast, journalWith, killed, resumed } from "./seenJournal";

const timelineOf = (operations: readonly JournalOperation[], more = {}) =>
    assembleTimeline(journalWith(operations, more));
const states = (operations: readonly JournalOperation[], holder?: string) =>
    timelineOf(operations, { holder }).operations.map(({ id, state }) => `${id} ${state}`);

describe("a timeline", () => {
    it("has the operations in the order of time, however the journal lists them", () => {
        assert.deepEqual(states([resumed, killed]), ["a interrupted", "b done"]);
    });

    it("calls an operation without an end interrupted, unless its process still holds the lock", () => {
        assert.deepEqual(states([killed], resumed.holder), ["a interrupted"]);
        assert.deepEqual(states([killed], killed.holder), ["a running"]);
        const [running] = timelineOf([killed], { holder: killed.holder }).operations;
        assert.equal(running.lastAt, halfPast + 3_600_000, "until now");
        assert.equal(timelineOf([killed]).operations[0].lastAt, halfPast + 70_000, "until its last entry");
    });

    describe("of a pod that was never Up in an operation", () => {
        const down = (why: string, phase = "down") => ({ is: "pod", at: halfPast, pod: "basic-tikv-3", phase, why });
        const up = { is: "pod", at: halfPast, pod: "basic-tikv-3", phase: "up" };
        const registers = down("it has not registered a store");
        const phases = (entries: readonly object[], more: Partial<JournalOperation> = {}) =>
            timelineOf([{ ...resumed, entries: entries as JournalOperation["entries"], ...more }])
                .operations[0].entries.map((entry) => entry.is === "pod" && entry.phase)
                .join(" ");
        const there = { pods: ["basic-tikv-3"] };
        const notReady = down("it is not Ready");

        it("says that it starts, if it is new, until it is Up", () => {
            assert.equal(phases([notReady, up, notReady]), "starting up down");
            assert.equal(phases([notReady, registers, up, registers], there), "starting starting up down");
            assert.equal(phases([down("it is not a member of PD")], there), "starting");
        });

        it("says that it is down, if it may have been Up before", () => {
            assert.equal(phases([notReady, up], there), "down up");
            assert.equal(
                phases([down("it has not registered a store since PD removed store 13 (Tombstone)")], there),
                "down",
            );
            assert.equal(phases([registers, up], { dropped: 1 }), "down up");
            assert.equal(phases([down("it is stopping")]), "down");
            const other = { ...notReady, pod: "basic-tikv-0", at: halfPast - 1 };
            assert.equal(phases([other, registers], { pods: ["basic-tikv-0", "basic-tikv-3"] }), "down down");
            assert.equal(phases([down("", "evicting"), registers], there), "evicting down");
        });
    });

    it("calls a run that waits without the lock running while it writes, until another one goes on with it", () => {
        const at = halfPast + 3_600_000;
        const entries = [
            { is: "wait", at: at - 60_000, step: "backups", target: "basic-tikv-2", why: "Job b1" },
        ] as const;
        const waiting = { ...killed, entries, writtenAt: at - 30_000 };
        assert.deepEqual(states([waiting]), ["a running"]);
        assert.deepEqual(states([{ ...waiting, writtenAt: at - 180_000 }]), ["a interrupted"]);
        assert.deepEqual(states([waiting, resumed]), ["a interrupted", "b done"]);
    });

    it("says what cannot be read, and shows the rest", () => {
        const seen = journalWith([resumed]);
        const { operations, unreadable } = assembleTimeline({ ...seen, texts: { ...seen.texts, x: "AAAA" } });
        assert.equal(operations.length, 1);
        assert.match(unreadable.join(), /^operation x: incorrect header check$/);
    });
});

describe("the text of a timeline", () => {
    it("says what was done, why it was safe, what was seen, by whom, and under which plan", () => {
        const page = readFileSync(path.resolve(__dirname, "../../../../docs/timeline.md"), "utf8");
        const [, documented] = /```\n(TidbCluster [^]*?)```/.exec(page) ?? [];
        assert.equal(textTimeline(timelineOf([{ ...killed, entries: killed.entries.slice(0, 5) }])), documented);
    });

    it("has lines of at most 120 columns, whose texts go on below their beginning", () => {
        const many = Array.from({ length: 12 }, (_, pod) => `basic-tikv-${pod}`);
        const entries = many.flatMap((pod) =>
            killed.entries.map((entry) => ({ ...entry, ...(entry.is === "pod" ? { pod } : { target: pod }) })),
        );
        const plan = { ...killed.plan!, lines: [`restart ${many.join(", ")}, ${many.join(", ")}`] };
        const why = many.map((pod) => `${pod} is not Ready`).join("; ");
        const text = textTimeline(timelineOf([{ ...killed, pods: many, entries, plan, outcome: "failed", why }]));
        const lines = text.split("\n");
        assert.deepEqual(
            lines.filter((line) => line.length > 120),
            [],
        );
        const words = (all: string) => all.split(/\s+/).join(" ");
        assert.ok(words(text).includes(words(why)), "nothing is left out");
        const seen = lines.findIndex((line) => line.includes("seen: "));
        assert.equal(lines[seen + 1].search(/\S/), lines[seen].indexOf("seen: ") + "seen: ".length);
    });

    it("says why an operation failed, and how many entries were dropped", () => {
        const failed = { ...resumed, outcome: "failed", why: "store-up: …", dropped: 7, entries: [] } as const;
        assert.match(
            textTimeline(timelineOf([failed])),
            /: failed after 3 min\n {2}by .*, no plan\n {2}failed: store-up: …\n {2}7 earlier entries were dropped/,
        );
    });

    it("has a line for each operation but the newest, if not all is asked for", () => {
        const text = textTimeline(timelineOf([killed, resumed]), false);
        const [, lines, newest] = text.split("\n\n");
        assert.equal(
            lines,
            "2026-11-22 17:30:00Z  roll out basic-tikv: interrupted: its process wrote no end; it last wrote after 70 s\n  --all shows all of each",
        );
        assert.equal(
            newest,
            textTimeline(timelineOf([killed, resumed]))
                .split("\n\n")
                .at(-1),
        );
        assert.equal(textTimeline(timelineOf([resumed]), false), textTimeline(timelineOf([resumed])));
    });

    it("shows what a text from the cluster hides", () => {
        assert.ok(!textTimeline(timelineOf([{ ...resumed, what: "roll\u001b[2Jout" }])).includes("\u001b"));
    });
});

describe("the HTML of a timeline", () => {
    const pageOf = (operations: readonly JournalOperation[]) => parseHtml(htmlTimeline(timelineOf(operations)));
    const withClass = (operations: readonly JournalOperation[], name: string) =>
        elementsOf(pageOf(operations)).filter(({ attributes }) => (attributes.class ?? "").split(" ")[0] === name);

    it("has a row for each operation and each pod, with its phases", () => {
        const operations = [killed, resumed];
        const names = withClass(operations, "name").map(textOf);
        const bars = withClass(operations, "track").map((track) =>
            elementsOf(track)
                .filter(({ attributes }) => (attributes.class ?? "").startsWith("bar"))
                .map(textOf),
        );
        const restart = ["evicting", "down", "leaders back"];
        assert.deepEqual(
            names.map((name, index) => [name, ...bars[index]]),
            [
                ["roll out basic-tikv", "interrupted"],
                ["roll out basic-tikv", "done"],
                ["basic-tikv-0", "Up", "Up", ...restart, "Up"],
                ["basic-tikv-1", "Up", "evicting", "Up", "down", "leaders back", "Up"],
                ["basic-tikv-2", ...restart, "Up", "Up"],
            ],
        );
    });

    it("says at a wait for what and how long, and at an action why it was safe", () => {
        const titles = (name: string) => withClass([killed], name).map(({ attributes }) => attributes.title ?? "");
        assert.ok(
            titles("wait").includes(
                "basic-tikv-2, 17:30:00Z: waiting 10 s (leaders-evicted): store 12 (basic-tikv-2) still holds 500 leaders; at the end: store 12 (basic-tikv-2) still holds 3 leaders",
            ),
        );
        assert.ok(
            titles("act").some((title) => /restart basic-tikv-2[^]*held: other-stores-up, leaders-evicted/.test(title)),
        );
    });

    it("says how long each pod was evicting, down and waiting for its leaders", () => {
        assert.deepEqual(withClass([killed], "sums").map(textOf), [
            "interrupted, 70 s",
            "Up",
            "17:31:00Z evicting 10 s",
            "17:30:00Z evicting 10 s, down 20 s, leaders back 30 s",
        ]);
    });

    it("draws a phase whose reason changes as one bar, with its first and its last reason", () => {
        const down = (second: number, why: string) =>
            ({ is: "pod", at: halfPast + second * 1_000, pod: "basic-tikv-0", phase: "down", why }) as const;
        const entries = [down(130, "it is stopping"), down(140, "it is not Ready"), down(150, "store 10 is Down")];
        const titlesOf = (all: typeof entries) =>
            withClass([{ ...resumed, entries: all }], "bar")
                .filter((bar) => textOf(bar) === "down")
                .map(({ attributes }) => attributes.title);
        const when = "basic-tikv-0, 17:32:10Z to 17:35:00Z (2 min 50 s)";
        assert.deepEqual(titlesOf(entries), [`${when}: down: it is stopping; at the end: store 10 is Down`]);
        const again = [...entries, down(160, "it is stopping")];
        assert.deepEqual(titlesOf(again), [`${when}: down: it is stopping`]);
    });

    describe("of a pod that was restarted between two observations", () => {
        const pd = "basic-pd-0";
        const at = (seconds: number) => halfPast + seconds * 1_000;
        const act = {
            is: "act",
            at: at(130),
            do: "delete-pod",
            words: `restart ${pd}`,
            step: "pod-restarted",
            target: pd,
            seen: [],
        } as const;
        const up = { is: "pod", at: at(134), pod: pd, phase: "up", isNew: true } as const;
        const restart = (...entries: JournalOperation["entries"]) => [{ ...resumed, pods: [pd], entries }];
        const sums = (operations: readonly JournalOperation[]) => textOf(withClass(operations, "sums").at(-1)!);

        it("draws the time without a pod, so the restart is not taken for a pod that was Up all the time", () => {
            const down = "17:32:10Z to 17:32:14Z (4.0 s): down: deleted; its successor was first seen at the end";
            assert.deepEqual(
                withClass(restart(act, up), "bar").flatMap(({ attributes }) => attributes.title ?? []),
                [
                    "roll out basic-tikv, 17:32:00Z to 17:35:00Z (3 min): done",
                    "basic-pd-0, 17:32:00Z to 17:32:10Z (10 s): Up",
                    `basic-pd-0, ${down}`,
                    "basic-pd-0, 17:32:14Z to 17:35:00Z (2 min 46 s): Up",
                ],
            );
            assert.equal(sums(restart(act, up)), "17:32:10Z down 4.0 s");
        });

        it("says that it was restarted where this operation did not delete it", () => {
            assert.equal(sums(restart(up)), "17:32:14Z restarted");
            assert.equal(sums(restart({ ...act, failed: "409" }, up)), "17:32:14Z restarted");
            const pods = Array.from({ length: 300 }, (_, index) => `basic-pd-${index}`);
            assert.ok(!chartsOf(timelineOf([{ ...resumed, pods, entries: [up] }]))[0].quiet.includes(pd));
        });

        it("says in the text that the pod is another one", () => {
            assert.match(textTimeline(timelineOf(restart(act, up))), /17:32:14Z {2}basic-pd-0 {2}Up \(a new pod\)\n/);
        });
    });

    it("has another colour for each phase of a pod, which the legend explains", () => {
        const backs = Object.keys(phaseWords).map((phase) => {
            const [, body] =
                new RegExp(`(?:^|\\n|, )\\.bar\\.${phase}(?:, [^{]*)? \\{([^}]*)\\}`).exec(timelineStyle) ?? [];
            return /background: ([^;]+);/.exec(body ?? "")?.[1];
        });
        assert.ok(!backs.includes(undefined));
        assert.equal(new Set(backs).size, backs.length, backs.join(" "));
    });

    it("draws nothing of what the journal has dropped, and says so", () => {
        const waited =
            "store 10 (basic-tikv-0) still holds 500 leaders; at the end: store 10 (basic-tikv-0) still holds 3 leaders";
        const dropped = { ...resumed, dropped: 7, entries: resumed.entries.slice(2) };
        const bars = withClass([dropped], "track").map((track) => elementsOf(track).filter(({ name }) => name === "b"));
        assert.deepEqual(
            bars.map((words) => words.map(textOf)),
            [["done"], ["evicting", "down", "leaders back", "Up", waited], ["leaders back", "Up"], []],
        );
        assert.equal(withClass([dropped], "sums").map(textOf).at(-1), "nothing recorded");
        const text = textOf(pageOf([dropped]));
        assert.match(
            text,
            /what happened before 2026-11-22 17:32:40Z is not drawn, because .* its oldest entries were dropped \(7\)/,
        );
        const pods = Array.from({ length: 300 }, (_, index) => `basic-tikv-${index}`);
        const large = textOf(pageOf([{ ...dropped, pods }]));
        assert.match(large, /298 more pods without a row: the entries that are left say nothing of them/);
        assert.doesNotMatch(large, /Up all the time/);
    });

    it("says in the longest waits what was missing at the end too", () => {
        const items = elementsOf(pageOf([killed])).filter(({ name }) => name === "li");
        assert.ok(
            items.some(
                (item) =>
                    textOf(item) ===
                    "10 s for basic-tikv-2: store 12 (basic-tikv-2) still holds 500 leaders; at the end: store 12 (basic-tikv-2) still holds 3 leaders",
            ),
        );
    });

    it("escapes what comes from the cluster, and loads and runs nothing", () => {
        const page = htmlTimeline(timelineOf([{ ...resumed, what: "<script>alert(1)</script>" }]));
        assert.ok(!/<script|src=|href=|@import|url\(/.test(page));
        const policies = elementsOf(parseHtml(page)).map(({ attributes }) => attributes.content ?? "");
        assert.ok(policies.some((policy) => policy.startsWith("default-src 'none'; style-src 'unsafe-inline'")));
    });

    it("draws each run on an axis of its own, the newest first, and one that was killed with the one that finished it", () => {
        const next = (id: string, holder: string, began: number) => {
            const time = halfPast + began * 1_000;
            return { ...resumed, id, holder, began: time, ended: time + 1_000, entries: [] };
        };
        const groupsOf = (...operations: JournalOperation[]) =>
            chartsOf(timelineOf(operations)).map((chart) => chart.operations.map(({ id }) => id).join(" "));
        const same = next("c", resumed.holder, 301);
        assert.deepEqual(groupsOf(killed, resumed, same, next("d", "ben@build", 303)), ["d", "a b c"]);
        assert.deepEqual(groupsOf(resumed, next("c", resumed.holder, 3_000)), ["c", "b"]);
        assert.deepEqual(groupsOf({ ...resumed, outcome: "failed" }, next("d", "ben@build", 303)), ["b d"]);
    });

    it("of a large cluster leaves out pods with which nothing happened, and names them", () => {
        const pods = Array.from({ length: 300 }, (_, index) => `basic-tikv-${index}`);
        const [chart] = chartsOf(timelineOf([{ ...resumed, pods }]));
        assert.deepEqual([chart.rows.length, chart.quiet.length], [1 + 2, 298]);
        assert.match(textOf(pageOf([{ ...resumed, pods }])), /298 more pods were Up all the time/);
    });

    it("opens fast for 300 pods: thin rows have no words in them, and evidence is written once", () => {
        const pods = Array.from({ length: 300 }, (_, index) => `basic-tikv-${index}`);
        const entries = pods.flatMap((pod) =>
            resumed.entries
                .slice(-7)
                .map((entry) => (entry.is === "pod" ? { ...entry, pod } : { ...entry, target: pod })),
        );
        const page = htmlTimeline(timelineOf([{ ...resumed, pods, entries }]));
        assert.ok(page.length < 1_000_000, `${page.length} characters`);
        const [run, thin] = elementsOf(parseHtml(page)).filter(({ attributes }) => attributes.class === "track");
        assert.deepEqual([textOf(run), textOf(thin)], ["done", ""]);
        assert.equal(page.split("leaders 500 by PD").length - 1, 300);
    });
});

describe("pulumi-tidb timeline", () => {
    const { texts } = journalWith([killed, resumed]);
    const lease = { metadata: { uid: "1" }, spec: {} };
    const sourcesOf = (api: Partial<TimelineSources["api"]> = {}): TimelineSources => ({
        kubernetes: { context: "prod", server: "https://k8s.example:6443" },
        api: {
            readLease: () => Promise.resolve(lease as never),
            readConfigMap: (_namespace, name) =>
                Promise.resolve(name === "basic-journal" ? { binaryData: texts } : undefined),
            ...api,
        },
        now: () => halfPast,
    });
    const run = (output: "text" | "json" | "html", api?: Partial<TimelineSources["api"]>) =>
        timeline("basic", { namespace: "tidb", output }, sourcesOf(api));

    it("prints text, JSON for programs, or one HTML page", async () => {
        assert.match((await run("text")).output, /^TidbCluster tidb\/basic\n/);
        const { apiVersion, kind, operations } = JSON.parse((await run("json")).output) as Record<string, unknown[]>;
        assert.deepEqual([apiVersion, kind, operations.length], ["pulumi-tidb.io/v1", "ClusterTimeline", 2]);
        assert.match((await run("html")).output, /^<!DOCTYPE html>/);
    });

    it("calls an operation interrupted whose process has stopped renewing the lock", async () => {
        const held = (renewedAt: number) => ({
            readLease: () =>
                Promise.resolve({
                    ...lease,
                    spec: { holderIdentity: killed.holder, renewTime: new Date(renewedAt), leaseDurationSeconds: 15 },
                } as never),
        });
        assert.match((await run("text", held(halfPast - 30_000))).output, /roll out basic-tikv: in progress/);
        assert.doesNotMatch((await run("text", held(halfPast - 31_000))).output, /in progress/);
    });

    it("says that there is nothing if the journal is empty or was lost", async () => {
        for (const output of ["text", "html"] as const) {
            const result = await run(output, { readConfigMap: () => Promise.resolve(undefined) });
            assert.deepEqual([result.exitCode, result.errors], [0, ""]);
            assert.match(result.output, /journal has no operation/);
        }
    });

    it("shows what is about a member, a pod or the time since then, and how much of the journal that is", async () => {
        const shown = async (filter: object, output: "text" | "html" = "text") =>
            (await timeline("basic", { namespace: "tidb", output, ...filter }, sourcesOf())).output;
        const pods = (text: string) => [
            ...new Set(text.match(/^ {2}\d\d:\d\d:\d\dZ {2}(\S+)/gm)?.map((row) => row.slice(13))),
        ];
        const ofPod = await shown({ pod: "basic-tikv-2" });
        assert.deepEqual(pods(ofPod), ["basic-tikv-2"]);
        assert.match(ofPod, /^ {2}the journal has 2 operations; 2 shown: of pod basic-tikv-2$/m);
        assert.deepEqual(pods(await shown({ member: "tikv" })).length, 3);
        assert.match(await shown({ member: "pd" }), /the journal has 2 operations; 0 shown: of pd\n$/);
        const at = (seconds: number) => () => halfPast + seconds * 1_000;
        assert.match(await shown({ since: at(300) }), /; 1 shown: since 2026-11-22 17:35:00Z\n/);
        assert.match(await shown({ since: at(301) }), /; 0 shown: since/);
        assert.match(await shown({ pod: "basic-tikv-0", since: at(60) }), /; 2 shown: of pod basic-tikv-0, since/);
        assert.match(
            await shown({ pod: "basic-tikv-2" }, "html"),
            /The journal has 2 operations; 2 shown: of pod basic-tikv-2\./,
        );
        assert.doesNotMatch(await shown({ pod: "basic-tikv-2" }, "html"), /basic-tikv-1</);
        assert.match(await shown({}), /the journal has 2 operations$/m);
        assert.match(await shown({}), /--all shows all of each/);
        for (const whole of [{ all: true }, { since: at(0) }, { pod: "basic-tikv-2" }]) {
            assert.doesNotMatch(await shown(whole), /--all/);
        }
    });

    it("says what to do next about a login that is not accepted", async () => {
        const readLease = () => Promise.reject(new KubernetesApiError("could not read Lease: 401", 401));
        const { errors, exitCode } = await run("text", { readLease });
        assert.match(errors, /^error: could not read Lease: 401\. Next: log in again/);
        assert.equal(exitCode, 1);
    });

    it("refuses a pod of another cluster, which would show nothing", async () => {
        for (const pod of ["other-tikv-0", "basic-tikv", "basic-tikv-01"]) {
            const { errors, exitCode } = await timeline(
                "basic",
                { namespace: "tidb", output: "text", pod },
                sourcesOf(),
            );
            assert.deepEqual(
                [errors, exitCode],
                [`error: --pod: found ${pod}, expected a pod of the cluster, such as basic-tikv-0\n`, 1],
            );
        }
    });

    for (const [text, expected] of [
        ["90m", halfPast - 5_400_000],
        ["1h30m", halfPast - 5_400_000],
        ["2026-11-22", Date.UTC(2026, 10, 22)],
        ["2026-11-22T17:00:00Z", Date.UTC(2026, 10, 22, 17)],
        ["2026-11-22 17:00Z", Date.UTC(2026, 10, 22, 17)],
        ["2026-11-22T17:00:00+01:00", Date.UTC(2026, 10, 22, 16)],
        ["2026-11-22T17:00:00", undefined],
        ["2026-13-22", undefined],
        ["yesterday", undefined],
        ["2", undefined],
        ["", undefined],
    ] as const) {
        it(`takes ${text === "" ? "nothing" : text} for ${expected === undefined ? "no time" : "a time"} with --since`, () => {
            if (expected === undefined) {
                assert.throws(
                    () => sinceOf(text),
                    /expected a length of time such as 90m or 48h, or a time with its zone/,
                );
            } else {
                assert.equal(sinceOf(text)(halfPast), expected);
            }
        });
    }

    it("ends with 3 if a part of the journal cannot be read", async () => {
        const { exitCode, errors } = await run("text", {
            readConfigMap: () => Promise.resolve({ binaryData: { x: "AAAA" } }),
        });
        assert.equal(exitCode, 3);
        assert.match(errors, /^error: TidbCluster tidb\/basic: a part of the journal cannot be read/);
    });

    it("ends with 1 if there is no such cluster, or the API server does not answer", async () => {
        const missing = await run("text", { readLease: () => Promise.resolve(undefined) });
        assert.deepEqual([missing.exitCode, missing.output], [1, ""]);
        assert.match(
            missing.errors,
            /no pulumi-tidb cluster named basic in namespace tidb at https:\/\/k8s\.example:6443/,
        );
        const silent = await run("text", {
            readConfigMap: () => Promise.reject(new KubernetesApiError("no answer", undefined)),
        });
        assert.equal(silent.exitCode, 1);
        assert.match(silent.errors, /^error: no answer\. Next: check that the cluster runs/);
    });
});
