import * as assert from "node:assert/strict";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import { html, prose } from "../../../status/htmlText";
import { htmlStatus } from "../../../status/htmlStatus";
import { withoutNode, zonesOf } from "../../../status/htmlPlaces";
import { elementsOf, type HtmlElement, linesOf, parseHtml, textOf } from "../../support/parseHtml";
import { pinnedWords } from "../../support/pinned";
import { approvalWait, healthy, now, type Seen, statusOf, storeOf, suspended, waitingRun } from "./seenCluster";

const pageOf = (seen: Partial<Seen> = {}) => parseHtml(htmlStatus(statusOf(healthy(seen))));
const withClass = (page: HtmlElement, name: string) =>
    elementsOf(page).filter(({ attributes }) => (attributes.class ?? "").split(" ").includes(name));

describe("the HTML of a status", () => {
    it("draws the zones, in them the nodes, and in these the pods", () => {
        const zones = withClass(pageOf(), "zone").map((zone) => ({
            zone: textOf(elementsOf(zone).find(({ name }) => name === "h3") as HtmlElement),
            nodes: withClass(zone, "node").map((node) => textOf(node)),
        }));
        assert.deepEqual(zones, [
            { zone: "zone-a 1 node, 3 pods", nodes: ["node-0 ● pd-0 ★ ● tikv-0 ● tidb-0"] },
            { zone: "zone-b 1 node, 3 pods", nodes: ["node-1 ● pd-1 ● tikv-1 ● tidb-1"] },
            { zone: "zone-c 1 node, 2 pods", nodes: ["node-2 ● pd-2 ● tikv-2"] },
        ]);
    });

    const pods: [title: string, seen: Partial<Seen>, drawn: string, says: string][] = [
        [
            "of an older revision",
            { pods: { "basic-tikv-1": { revision: "tikv-old" } } },
            "◐ tikv-1",
            "basic-tikv-1, v8.5.3, runs an older revision",
        ],
        [
            "that is not Ready",
            { pods: { "basic-tikv-1": { ready: false, trouble: "Unschedulable: 0/3 nodes" } } },
            "◌ tikv-1",
            "basic-tikv-1, v8.5.3, is not Ready: Unschedulable: 0/3 nodes",
        ],
        [
            "that is stopping",
            { pods: { "basic-tikv-1": { terminating: true } } },
            "◌ tikv-1",
            "basic-tikv-1, v8.5.3, is stopping",
        ],
        [
            "whose store is Down",
            { stores: { "basic-tikv-1": { state: "Down" } } },
            "✕ tikv-1",
            "basic-tikv-1, v8.5.3, store 11 is Down",
        ],
        ["that does not exist", { pods: { "basic-tikv-1": null } }, "✕ tikv-1", "basic-tikv-1, does not exist"],
        ["of which PD says nothing", { pd: unreachablePd("silent").pd }, "? tikv-1", "basic-tikv-1, v8.5.3, not known"],
    ];
    for (const [title, seen, drawn, says] of pods) {
        it(`draws a pod ${title} as ${drawn}`, () => {
            const found = withClass(pageOf(seen), "pod").find((one) =>
                one.attributes.title.startsWith("basic-tikv-1,"),
            );
            assert.ok(found);
            assert.deepEqual([textOf(found), found.attributes.title], [drawn, says]);
        });
    }

    it("shows pods without a node apart, and counts them as no node", () => {
        const status = statusOf(healthy({ pods: { "basic-tidb-0": null, "basic-tidb-1": { node: undefined } } }));
        assert.deepEqual(
            withoutNode(status).map(({ label }) => label),
            ["tidb-0", "tidb-1"],
        );
        assert.equal(zonesOf(status).flatMap(({ nodes }) => nodes.flatMap((node) => node.pods)).length, 6);
    });

    it("says that members are suspended, and draws no missing pods of them", () => {
        const page = pageOf(suspended({ pd: 3, tikv: 3, tidb: 2 }, "tidb"));
        assert.equal(withClass(page, "pod").length, 6);
    });

    it("says that zones are not known, and why, and still draws the nodes", () => {
        const why = "node node-0 cannot be read: forbidden; grant `get` on `nodes` by a ClusterRole";
        const page = pageOf({ zoneOf: () => notKnown(why) });
        assert.equal(withClass(page, "node").length, 3);
        assert.ok(textOf(page).includes(why.replaceAll("`", "")));
    });

    it("says beside each check that fails what it has found, and that of the first only once", () => {
        const page = pageOf({
            pods: { "basic-tikv-1": { revision: "tikv-old" } },
            stores: { "basic-tikv-0": { state: "Down" } },
        });
        assert.deepEqual(
            elementsOf(withClass(page, "checks")[0])
                .filter(({ name }) => name === "li")
                .map(textOf),
            [
                "✕ StatefulSetNotUpToDate",
                "✓ PD healthy",
                "✕ TiKVStoreNotUp: basic-tikv-0: store 10 is Down",
                "✓ TiDB healthy",
            ],
        );
    });

    it("counts the pods in each state", () => {
        const page = pageOf({ pods: { "basic-tikv-1": { revision: "tikv-old" }, "basic-tidb-1": null } });
        const legend = textOf(withClass(page, "legend")[0]);
        for (const words of ["newest revision: 6", "older revision: 1", "unhealthy as a member: 1", "not known: 0"]) {
            assert.ok(legend.includes(words), legend);
        }
    });

    it("says in words what the marks of a pod say", () => {
        const page = pageOf({ stores: { "basic-tikv-1": { state: "Down" } } });
        const words = withClass(page, "pod").map((pod) =>
            elementsOf(pod)
                .flatMap(({ attributes }) => attributes["aria-label"] ?? [])
                .join(" "),
        );
        assert.equal(words[0], "healthy, newest revision: leader");
        assert.deepEqual(
            words.filter((one) => !one.startsWith("healthy")),
            ["store 11 is Down:"],
        );
    });

    it("writes what stands between backticks as code", () => {
        assert.equal(
            prose("run `a <b>` or `c`, not `d").text,
            "run <code>a &lt;b&gt;</code> or <code>c</code>, not `d",
        );
    });

    it("asks nothing of any network, and runs nothing", () => {
        const text = htmlStatus(statusOf(healthy()));
        const page = parseHtml(text);
        const policy = elementsOf(page).find((one) => one.attributes["http-equiv"] === "Content-Security-Policy");
        assert.match(policy?.attributes.content ?? "", /^default-src 'none'; style-src 'unsafe-inline';/);
        const names = new Set(elementsOf(page).map(({ name }) => name));
        for (const forbidden of ["script", "link", "img", "iframe", "object", "a", "form"]) {
            assert.ok(!names.has(forbidden), forbidden);
        }
        assert.doesNotMatch(text, /url\(|@import|\son\w+=/);
        assert.match(text, /@media \(prefers-color-scheme: dark\)/);
    });

    it("escapes whatever a name or a message contains", () => {
        const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;\u202e`;
        const seen: Partial<Seen> = {
            name: "basic",
            nodeOf: () => evil,
            zoneOf: () => known(evil, evil, now),
            pods: { "basic-tidb-0": { ready: false, trouble: evil, image: `pingcap/tidb:${evil}` } },
            stores: { "basic-tikv-0": { state: evil, address: evil } },
            moreStores: [{ ...storeOf("tikv", evil, 9), own: false }],
            pd: { members: known([{ name: evil, memberId: "1", healthy: true }], "PD", now) },
            lease: {
                lock: { holder: evil, operation: evil, renewedAt: now },
                stopRequest: { by: evil, of: evil },
                owner: { stack: evil, urn: evil, name: evil, namespace: evil },
            },
        };
        const text = htmlStatus(statusOf(healthy(seen)));
        const names = new Set(elementsOf(parseHtml(text)).map(({ name }) => name));
        assert.ok(!names.has("script") && !names.has("img"), [...names].join(" "));
        assert.ok(!text.includes("<script") && !text.includes("\u202e"));
        assert.ok(textOf(parseHtml(text)).includes("<script>alert(1)</script>"), "it is shown as text");
    });

    it("is small and whole for 300 pods", () => {
        const members = { pd: 5, tikv: 175, tiflash: 40, tidb: 60, ticdc: 10, tiproxy: 10 };
        const text = htmlStatus(statusOf(healthy({ members, nodeOf: (_pod, index) => `node-${index % 99}` })));
        assert.equal(withClass(parseHtml(text), "pod").length, 300);
        assert.ok(text.length < 200_000, `${text.length} characters`);
    });

    const words = (seen: Partial<Seen>) => () => linesOf(pageOf(seen));
    pinnedWords("status-html", {
        "everything is as wanted": words({}),
        "a member is suspended": words(suspended({ pd: 3, tikv: 3, tidb: 2 }, "tidb")),
        "PD does not answer": words({ pd: unreachablePd("silent").pd }),
        "zones are not known": words({ zoneOf: () => notKnown("forbidden; grant `get` on `nodes`") }),
        "nodes have no zone": words({ zoneOf: () => known(undefined, "node", now) }),
        "members have different versions, a run waits for approval, and a consent and a Job are there": words({
            statefulSets: { tidb: { image: "pingcap/tidb:v8.5.4" } },
            lease: {
                approvalWaits: { 1: { ...approvalWait, change: "without restart basic-tikv-0" } },
                approvals: { given: { "000000000000": { by: "ana@laptop", at: now - 60_000 } }, goals: {} },
            },
            journal: known([waitingRun], "the journal", now),
            jobs: {
                known: true,
                value: [{ name: "backup-first", since: "2026-11-22T17:29:20.000Z", words: "it waits" }],
            },
        }),
        "many stores, one Down and one almost full": words({
            members: { pd: 3, tikv: 42 },
            stores: { "basic-tikv-7": { state: "Down" }, "basic-tikv-8": { availableBytes: 50 * 1024 ** 3 } },
            evicted: [16],
        }),
        "many stores, each well": words({ members: { pd: 3, tikv: 41 } }),
    });

    it("takes no HTML from text", () => {
        assert.equal(
            html`<b title="${'"'}">${"<i>"}${html`<u>${"&"}</u>`}${7}</b>`.text,
            '<b title="&quot;">&lt;i&gt;<u>&amp;</u>7</b>',
        );
    });
});
