import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { InvalidArgumentError } from "commander";
import { sinceOf, timeline } from "../../../../bin/timelineCommand";
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { assembleTimeline } from "../../../../status/timeline/assembleTimeline";
import type { TimelineDocument } from "../../../../status/timeline/clusterTimeline";
import { chartsOf } from "../../../../status/timeline/charts";
import { htmlTimeline } from "../../../../status/timeline/htmlTimeline";
import type { TimelineSources } from "../../../../status/timeline/readTimeline";
import { timelineStyle } from "../../../../status/timeline/timelineStyle";
import { phaseWords, subjectOf } from "../../../../status/timeline/timelineWords";
import { textTimeline } from "../../../../status/timeline/textTimeline";
import { elementsOf, linesOf, parseHtml, textOf } from "../../../support/parseHtml";
import { pinnedWords } from "../../../support/pinned";
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
        assert.equal(unreadable.length, 1);
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

    it("has a line for each operation but the newest, if not all is asked for", () => {
        const text = textTimeline(timelineOf([killed, resumed]), false);
        const [, lines, newest] = text.split("\n\n");
        assert.equal(lines.split("\n").length, 1 + 1);
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
        assert.ok(titles("act").some((title) => title.includes("held: other-stores-up, leaders-evicted")));
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
            assert.ok(textTimeline(timelineOf(restart(act, up))).includes("Up (a new pod)"));
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
    const document = ({ output }: { output: string }) => JSON.parse(output) as TimelineDocument;
    const run = (output: "text" | "json" | "html", api?: Partial<TimelineSources["api"]>) =>
        timeline("basic", { namespace: "tidb", output }, sourcesOf(api));

    it("prints text, JSON for programs, or one HTML page", async () => {
        const read = timelineOf([killed, resumed], { now: halfPast });
        assert.equal((await run("text")).output, textTimeline(read, false));
        const { apiVersion, kind, operations } = document(await run("json"));
        assert.deepEqual([apiVersion, kind, operations.length], ["pulumi-tidb.io/v1", "ClusterTimeline", 2]);
        assert.equal((await run("html")).output, htmlTimeline(read));
    });

    it("calls an operation interrupted whose process has stopped renewing the lock", async () => {
        const held = (renewedAt: number) => ({
            readLease: () =>
                Promise.resolve({
                    ...lease,
                    spec: { holderIdentity: killed.holder, renewTime: new Date(renewedAt), leaseDurationSeconds: 15 },
                } as never),
        });
        const [first] = document(await run("json", held(halfPast - 30_000))).operations;
        const [dead] = document(await run("json", held(halfPast - 31_000))).operations;
        assert.deepEqual([first.state, dead.state], ["running", "interrupted"]);
    });

    it("says that there is nothing if the journal is empty or was lost", async () => {
        for (const output of ["text", "html"] as const) {
            const result = await run(output, { readConfigMap: () => Promise.resolve(undefined) });
            assert.deepEqual([result.exitCode, result.errors], [0, ""]);
        }
    });

    it("shows what is about a member, a pod or the time since then, and how much of the journal that is", async () => {
        const shown = async (filter: object) => {
            const found = document(
                await timeline("basic", { namespace: "tidb", output: "json", ...filter }, sourcesOf()),
            );
            const { filtered, operations } = found;
            const subjects = operations.flatMap(({ entries }) => entries.map(subjectOf));
            return [filtered?.from, operations.length, [...new Set(subjects)].sort().join(" ")];
        };
        const all = "basic-tikv-0 basic-tikv-1 basic-tikv-2";
        const at = (seconds: number) => () => halfPast + seconds * 1_000;
        for (const [filter, expected] of [
            [{}, [undefined, 2, all]],
            [{ pod: "basic-tikv-2" }, [2, 2, "basic-tikv-2"]],
            [{ member: "tikv" }, [2, 2, all]],
            [{ member: "pd" }, [2, 0, ""]],
            [{ since: at(300) }, [2, 1, "basic-tikv-0 basic-tikv-1"]],
            [{ since: at(301) }, [2, 0, ""]],
            [{ pod: "basic-tikv-0", since: at(60) }, [2, 2, "basic-tikv-0"]],
        ] as const) {
            assert.deepEqual(await shown(filter), expected, JSON.stringify(filter));
        }
    });

    const written = (options: object, api?: Partial<TimelineSources["api"]>) => async () => {
        const { output, errors } = await timeline(
            "basic",
            { namespace: "tidb", output: "text", ...options },
            sourcesOf(api),
        );
        return output.startsWith("<") ? linesOf(parseHtml(output)) : `${output}${errors}`;
    };
    const since = () => halfPast + 300_000;
    const unread = { readConfigMap: () => Promise.resolve({ binaryData: { x: "AAAA" } }) };
    pinnedWords("timeline", {
        "all of the newest operation": written({}),
        "all of each operation, because it is asked for": written({ all: true }),
        "a pod": written({ pod: "basic-tikv-2" }),
        "a member of which nothing is recorded": written({ member: "pd" }),
        "a pod since a time": written({ pod: "basic-tikv-0", since }),
        "the journal is empty": written({}, { readConfigMap: () => Promise.resolve(undefined) }),
        "the pod is that of another cluster": written({ pod: "other-tikv-0" }),
        "the login is not accepted": written(
            {},
            { readLease: () => Promise.reject(new KubernetesApiError("401", 401)) },
        ),
        "there is no such cluster": written({}, { readLease: () => Promise.resolve(undefined) }),
        "an operation failed, and its first entries were dropped": () =>
            textTimeline(timelineOf([{ ...resumed, outcome: "failed", why: "store-up: …", dropped: 7, entries: [] }])),
    });
    const large = Array.from({ length: 300 }, (_, index) => `basic-tikv-${index}`);
    const page = (more: Partial<JournalOperation>) => () =>
        linesOf(parseHtml(htmlTimeline(timelineOf([{ ...resumed, ...more }]))));
    pinnedWords("timeline-html", {
        "all operations": written({ output: "html" }),
        "a pod": written({ output: "html", pod: "basic-tikv-2" }),
        "the journal is empty": written({ output: "html" }, { readConfigMap: () => Promise.resolve(undefined) }),
        "a part of the journal cannot be read": written({ output: "html" }, unread),
        "a large cluster": page({ pods: large, entries: resumed.entries.slice(-7) }),
        "a large cluster whose first entries were dropped": page({
            ...{ pods: large, dropped: 7, entries: resumed.entries.slice(-7) },
        }),
    });

    it("refuses a pod of another cluster, which would show nothing", async () => {
        for (const pod of ["other-tikv-0", "basic-tikv", "basic-tikv-01"]) {
            const { errors, exitCode } = await timeline(
                "basic",
                { namespace: "tidb", output: "text", pod },
                sourcesOf(),
            );
            assert.ok(errors.startsWith(`error: --pod: found ${pod}, `), errors);
            assert.equal(exitCode, 1);
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
                assert.throws(() => sinceOf(text), InvalidArgumentError);
            } else {
                assert.equal(sinceOf(text)(halfPast), expected);
            }
        });
    }

    it("ends with 3 if a part of the journal cannot be read", async () => {
        assert.equal((await run("text", unread)).exitCode, 3);
    });

    it("ends with 1 and no output if there is no such cluster, or the API server does not answer", async () => {
        for (const api of [
            { readLease: () => Promise.resolve(undefined) },
            { readLease: () => Promise.reject(new KubernetesApiError("the login is not accepted", 401)) },
            { readConfigMap: () => Promise.reject(new KubernetesApiError("no answer", undefined)) },
        ]) {
            const { output, exitCode } = await run("text", api);
            assert.deepEqual([output, exitCode], ["", 1]);
        }
    });
});
