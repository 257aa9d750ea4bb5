import * as assert from "node:assert/strict";
import { Captures } from "../../../provider/cluster/captures";
import type { PodAnswer, PodCalls } from "../../../provider/cluster/podCalls";
import { Pumps } from "../../../provider/cluster/pumps";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedMember, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { allowed, podCallsOf } from "../../support/cluster/podCallsOf";

// What each answer means is tidb-operator's (pkg/controller/ticdc_control.go, pkg/binlog/binlog.go).

const pod = (name: string): ObservedPod => ({
    name,
    ordinal: 0,
    uid: `uid-${name}`,
    resourceVersion: "1",
    ready: true,
    container: notAsked,
    createdAt: 0,
    terminating: false,
});
const member: ObservedMember = { component: "ticdc", pods: [pod("a"), pod("b")], claims: [] };
const json = (value: unknown, status = 200): PodAnswer => ({ status, text: JSON.stringify(value) });
const answering = (answers: Record<string, PodAnswer>, asked: string[] = []): PodCalls =>
    podCallsOf(({ name }, { path }) => {
        asked.push(`${name} ${path}`);
        return Promise.resolve(answers[`${name} ${path}`] ?? answers[path] ?? { status: 404, text: "" });
    }) as PodCalls;
const long = "x".repeat(1_000);

describe("a TiCDC capture", () => {
    for (const [name, answer, expected] of [
        ["without its version has none", json({ id: "1" }), { id: "1", version: "" }],
        ["says its id", json({ id: "1", version: "v8.5.3" }), { id: "1", version: "v8.5.3" }],
        ["answers without its id", json({ version: "v8.5.3" }), "answers 200 to /status, without a capture id"],
        ["answers with an invalid id", json({ id: 7 }), "answers 200 to /status, without a capture id"],
        [
            "answers with something that is not JSON",
            { status: 200, text: "<html>" },
            "answers 200 to /status, without a capture id",
        ],
        ["answers 400, whatever it says", json({ id: "1" }, 400), "answers 400 to /status, without a capture id"],
        ["answers 500, whatever it says", json({ id: "1" }, 500), "answers 500 to /status, without a capture id"],
    ] as const) {
        it(`${name}`, async () => {
            const { byPod } = await new Captures(answering({ "/status": answer })).observe(member);
            assert.deepEqual(byPod.a, typeof expected === "string" ? { trouble: expected } : expected);
        });
    }

    it("is asked for TiCDC's health only if it is the owner", async () => {
        const asked: string[] = [];
        const list = [
            { id: "1", is_owner: false },
            { id: "2", is_owner: true },
        ];
        const answers = {
            "a /status": json({ id: "1" }),
            "b /status": json({ id: "2" }),
            "/api/v1/captures": json(list),
            "/api/v1/health": json({}, 500),
        };
        const { ownerTrouble } = await new Captures(answering(answers, asked)).observe(member);
        assert.equal(ownerTrouble, "b, the owner of TiCDC, reports that TiCDC is unhealthy (500)");
        assert.deepEqual(
            asked.filter((one) => one.endsWith("health")),
            ["b /api/v1/health"],
        );
    });

    it("is not asked for TiCDC's health if there is no owner or the owner does not answer", async () => {
        for (const list of [[{ id: "1", is_owner: false }], [{ id: "3", is_owner: true }], []]) {
            const asked: string[] = [];
            const answers = {
                "a /status": json({ id: "1" }),
                "b /status": json({}, 500),
                "/api/v1/captures": json(list),
                "/api/v1/health": json({}, 500),
            };
            const { ownerTrouble } = await new Captures(answering(answers, asked)).observe(member);
            assert.equal(ownerTrouble, undefined, JSON.stringify(list));
            assert.ok(!asked.some((one) => one.endsWith("health")), asked.join());
        }
    });

    it("is named in an error with the question and a few words of its answer", async () => {
        const captures = new Captures(
            answering({
                "/api/v1/owner/resign": { status: 400, text: ` ${long}\n` },
                "/api/v1/captures/drain": { status: 500, text: " no \n" },
            }),
        );
        await assert.rejects(captures.resignOwner(pod("a"), allowed), {
            message: `TiCDC was asked to resign as the owner and answered 400: ${"x".repeat(200)}`,
        });
        await assert.rejects(captures.drain(pod("a"), "1", allowed), {
            message: "TiCDC was asked to move its tables and answered 500: no",
        });
    });
});

describe("a pump that refuses to go offline", () => {
    const path = "/state/basic-pump-0%3A8250/close";
    const close = (answer: PodAnswer) =>
        new Pumps(answering({ [path]: answer })).close(pod("basic-pump-0"), "basic-pump-0:8250", allowed);
    for (const [name, answer, words] of [
        [
            "by 400, though its answer is well",
            json({ code: 200 }, 400),
            'answered 400 to PUT /state/basic-pump-0%3A8250/close: {"code":200}',
        ],
        [
            "without a code",
            { status: 200, text: " paused \n" },
            "answered 200 to PUT /state/basic-pump-0%3A8250/close: paused",
        ],
        [
            "at length",
            { status: 500, text: long },
            `answered 500 to PUT /state/basic-pump-0%3A8250/close: ${"x".repeat(200)}`,
        ],
    ] as const) {
        it(`${name} is named in an error with a few words of its answer`, () =>
            assert.rejects(close(answer), { message: `Pump in basic-pump-0 ${words}` }));
    }
});
