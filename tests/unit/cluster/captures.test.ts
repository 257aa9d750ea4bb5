import * as assert from "node:assert/strict";
import { Captures } from "../../../provider/cluster/captures";
import type { PodAnswer, PodCalls } from "../../../provider/cluster/podCalls";
import { Pumps } from "../../../provider/cluster/pumps";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedMember, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { allowed, podCallsOf } from "../../support/cluster/podCallsOf";
import { repeats } from "../../support/repeats";

// What each answer means is tidb-operator's (pkg/controller/ticdc_control.go, pkg/binlog/binlog.go).

type Answers = Record<string, PodAnswer | string>;

/** Calls that are answered by `method path`, or by `pod method path`; text is no answer at all. */
function playing(answers: Answers): { calls: PodCalls; sent: string[] } {
    const sent: string[] = [];
    const calls = podCallsOf((pod, { method = "GET", path, body }) => {
        const key = `${method} ${path}`;
        sent.push(`${pod.name} ${key}${body ? ` ${JSON.stringify(body)}` : ""}`);
        const answer = answers[`${pod.name} ${key}`] ?? answers[key] ?? { status: 404, text: "404 page not found" };
        return typeof answer === "string" ? Promise.reject(new Error(answer)) : Promise.resolve(answer);
    });
    return { calls: calls as unknown as PodCalls, sent };
}

const redirect: PodAnswer = { status: 302, text: "a redirect (302) to http://x is not followed" };
const json = (value: unknown, status = 200): PodAnswer => ({ status, text: JSON.stringify(value) });
const pod = (name: string, more: Partial<ObservedPod> = {}): ObservedPod => ({
    name,
    ordinal: 0,
    uid: `uid-${name}`,
    resourceVersion: "1",
    ready: true,
    container: notAsked,
    createdAt: 0,
    terminating: false,
    ...more,
});
const member = (...pods: ObservedPod[]): ObservedMember => ({ component: "ticdc", pods, claims: [] });
const healthy: Answers = {
    "a GET /status": json({ id: "1", version: "v8.5.3", is_owner: true }),
    "b GET /status": json({ id: "2", version: "v8.5.3", is_owner: false }),
    "GET /api/v1/captures": json([
        { id: "1", is_owner: true, address: "a:8301" },
        { id: "2", is_owner: false, address: "b:8301" },
    ]),
    "GET /api/v1/health": json({}),
};
const observe = (answers: Answers, pods = [pod("a"), pod("b")]) =>
    new Captures(playing({ ...healthy, ...answers }).calls).observe(member(...pods));

describe("TiCDC's answers about itself", () => {
    it("say which captures there are, where they run, and that all is well", async () => {
        assert.deepEqual(await observe({}), {
            byPod: { a: { id: "1", version: "v8.5.3" }, b: { id: "2", version: "v8.5.3" } },
            list: [
                { id: "1", isOwner: true },
                { id: "2", isOwner: false },
            ],
            ownerTrouble: undefined,
            tablesLeft: {},
        });
    });

    it("come from Ready pods only, and the list from one that answers", async () => {
        const { byPod, list } = await observe({ "b GET /status": "does not answer: x" }, [
            pod("c", { ready: false }),
            pod("b"),
            pod("a"),
        ]);
        assert.deepEqual(byPod.c, { trouble: "is not Ready" });
        assert.deepEqual(byPod.b, { trouble: "does not answer: x" });
        assert.ok(Array.isArray(list));
    });

    const lists: [string, PodAnswer | string, unknown][] = [
        ["404: a version without it", { status: 404, text: "[]" }, "unsupported"],
        ["a page that is not JSON: a version without it", { status: 200, text: "<html>" }, "unsupported"],
        [
            "503: not ready",
            { status: 503, text: "" },
            { trouble: "TiCDC in a is not ready to list the captures (503)" },
        ],
        ["no answer", "does not answer: x", { trouble: "TiCDC in a does not answer: x" }],
        [
            "a redirect, which is no version without it",
            redirect,
            { trouble: "TiCDC in a does not list the captures: a redirect (302) to http://x is not followed" },
        ],
    ];
    for (const [title, answer, expected] of lists) {
        it(`list captures: ${title}`, async () => {
            assert.deepEqual((await observe({ "GET /api/v1/captures": answer })).list, expected);
        });
    }

    it("say no capture's id by a redirect", async () => {
        const { byPod } = await observe({ "a GET /status": redirect });
        assert.deepEqual(byPod.a, { trouble: "answers 302 to /status, without a capture id" });
    });

    it("list captures: nobody to ask", async () => {
        const { list } = await observe({}, [pod("a", { ready: false })]);
        assert.deepEqual(list, { trouble: "no capture of TiCDC answers" });
    });

    const health: [string, PodAnswer | string, names: string[] | undefined][] = [
        ["500: unwell", { status: 500, text: "" }, ["a, the owner of TiCDC"]],
        ["404: a version without it", { status: 404, text: "" }, undefined],
        ["no answer", "does not answer: x", ["a, the owner of TiCDC", "does not answer: x"]],
        ["a redirect, which says nothing of it", redirect, ["302"]],
    ];
    for (const [title, answer, names] of health) {
        it(`report health, as the owner sees it: ${title}`, async () => {
            const { ownerTrouble } = await observe({ "a GET /api/v1/health": answer, "b GET /api/v1/health": "no" });
            assert.equal(ownerTrouble === undefined, names === undefined, ownerTrouble);
            repeats(ownerTrouble, ...(names ?? []));
        });
    }

    const drains: [string, PodAnswer, number | undefined][] = [
        ["tables that are left", json({ current_table_count: 7 }, 202), 7],
        ["none", json({ current_table_count: 0 }, 202), 0],
        ["404: a version that cannot", { status: 404, text: "404 page not found" }, 0],
        ["not JSON: a version that cannot", { status: 200, text: "" }, 0],
        ["503: asked again later", { status: 503, text: "" }, undefined],
    ];
    for (const [title, answer, expected] of drains) {
        it(`count the remaining tables, in the answer to the call that moves them: ${title}`, async () => {
            const { calls, sent } = playing({ ...healthy, "PUT /api/v1/captures/drain": answer });
            const captures = new Captures(calls);
            await captures.drain(pod("b"), "2", allowed);
            assert.deepEqual(sent, ['b PUT /api/v1/captures/drain {"capture_id":"2"}']);
            assert.equal((await captures.observe(member(pod("a"), pod("b")))).tablesLeft["uid-b"], expected);
        });
    }

    it("are quoted in an error if a change gets an unexpected one", async () => {
        const captures = new Captures(
            playing({
                "PUT /api/v1/captures/drain": json({ error_msg: "cannot drain the owner" }, 400),
                "POST /api/v1/owner/resign": json({ error_msg: "no" }, 500),
            }).calls,
        );
        await assert.rejects(captures.drain(pod("b"), "2", allowed), /answered 400: .*cannot drain the owner/);
        await assert.rejects(captures.resignOwner(pod("b"), allowed), /answered 500/);
    });

    it("that it cannot resign in this version, or is not ready to, are no errors", async () => {
        for (const status of [202, 404, 503]) {
            const { calls } = playing({ "POST /api/v1/owner/resign": json({}, status) });
            await new Captures(calls).resignOwner(pod("a"), allowed);
        }
    });
});

describe("taking a pump offline", () => {
    const path = "PUT /state/demo-pump-0%3A8250/close";
    const close = (answer: PodAnswer) =>
        new Pumps(playing({ [path]: answer }).calls).close(pod("demo-pump-0"), "demo-pump-0:8250", allowed);

    it("succeeds if the pump agrees", () => close(json({ message: "ok", code: 200 })));
    for (const [title, answer] of [
        ["in its answer", json({ message: "pump is paused", code: 500 })],
        ["by its status", json({ message: "pump is paused", code: 200 }, 500)],
        ["by an invalid answer", { status: 200, text: "" }],
    ] as const) {
        it(`is refused: ${title}`, () => assert.rejects(close(answer), /Pump in demo-pump-0 answered/));
    }
});
