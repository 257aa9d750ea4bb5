import * as assert from "node:assert/strict";
import { ReadyTracker } from "../../../../provider/cluster/readyTracker";
import { findDead } from "../../../../provider/lifecycle/failover/findDead";
import type { ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import {
    crashLoop,
    downFor,
    found,
    hangs,
    lostNode,
    minutes,
    policy,
    readyBetweenCrashes,
} from "../../../support/lifecycle/deaths";
import { type Deviation, now, observed } from "../../../support/lifecycle/observations";

const dead = {
    pd: { unhealthy: [1] },
    tikv: { stores: { 1: downFor(24 * 60 * minutes) } },
    tiflash: { live: 3, tiflash: { 1: downFor(24 * 60 * minutes) } },
    tidb: { live: 3, trouble: { 1: "is not Ready" } },
} as const satisfies Record<string, Deviation>;
type Member = keyof typeof dead;

/** Looks every ten seconds at a pod whose kubelet waits for this long each time. @returns when it is replaced, and in how many seconds it is due until then. */
function watch(
    component: Member,
    periodSeconds: number,
    backOff: number,
    more: (second: number) => Partial<ObservedPod> | undefined = () => undefined,
): { replacedAt: number | undefined; due: (number | undefined)[] } {
    const tracker = new ReadyTracker();
    const due: (number | undefined)[] = [];
    for (let second = 0; second < 3 * 3600; second += 10) {
        const inWait = (second * 1000) % (backOff + 2000);
        const crashing = inWait < backOff ? crashLoop(inWait, backOff, 280) : { ...hangs, ...readyBetweenCrashes(280) };
        const { observation, target } = observed(component, {
            ...(dead[component] as Deviation),
            pods: { 1: more(second) ?? crashing },
        });
        const member = observation.members[component]!;
        const pods = member.pods.map((pod) => tracker.track(pod, now + second * 1000));
        const seen = { ...observation, now: now + second * 1000, members: { [component]: { ...member, pods } } };
        const { toReplace, dueInSeconds } = findDead(seen, target, { ...policy, periodSeconds });
        if (toReplace.length > 0) {
            return { replacedAt: second, due };
        }
        due.push(dueInSeconds);
    }
    return { replacedAt: undefined, due };
}

describe("a crash loop for longer than kubelet's waits show", () => {
    for (const component of Object.keys(dead) as Member[]) {
        for (const [periodSeconds, backOff] of [
            [600, 300_000],
            [1800, 300_000],
            [300, 60_000],
            [300, 120_000],
        ] as const) {
            it(`of ${component} is replaced after ${periodSeconds} s by a run that watches it, with waits of ${backOff / 1000} s`, () => {
                const { replacedAt = Infinity, due } = watch(component, periodSeconds, backOff);
                assert.ok(replacedAt >= periodSeconds && replacedAt < periodSeconds + 20, `${replacedAt}`);
                assert.equal(due[0], periodSeconds, "only what the run itself watches counts");
            });
        }
    }

    it("is not one while it is well for a period between two crashes: a PD member keeps its volume", () => {
        const well = (second: number) => (second % 1000 < 650 ? {} : undefined);
        assert.equal(watch("pd", 600, 300_000, well).replacedAt, undefined);
    });

    it("begins with the pod: another one of its name is judged anew", () => {
        const another = (second: number) => ({
            ...crashLoop(1000, 60_000),
            uid: `made at ${Math.floor(second / 500)}`,
        });
        assert.equal(watch("pd", 600, 60_000, another).replacedAt, undefined);
    });

    it("has not vanished together with a node that was lost long after it began", () => {
        const kept = (seenFor: number) =>
            found(
                "tikv",
                {
                    live: 6,
                    pods: {
                        1: {
                            ...crashLoop(1000, 300_000, 280),
                            crashesSeen: [{ since: now - seenFor * minutes, after: Infinity }],
                        },
                        2: lostNode(8 * minutes),
                    },
                    stores: { ...dead.tikv.stores, 2: downFor(minutes) },
                },
                { periodSeconds: 600, budget: 1 },
            );
        assert.deepEqual(kept(40).dead, ["basic-tikv-1"]);
        assert.ok(kept(11).kept.includes("vanished-together"));
    });

    it("is not promised after the seconds that are left of a wait, all day: an update sees it for a moment only", () => {
        for (const periodSeconds of [590, 600, 1800]) {
            for (let waited = 1000; waited < 300_000; waited += 10_000) {
                const row = { ...dead.tikv, pods: { 1: crashLoop(waited, 300_000, 280) } };
                assert.equal(found("tikv", row, { periodSeconds }).dueInSeconds, periodSeconds);
            }
        }
    });

    it("is due at some moment of each wait with the default period, and then no run has to watch it", () => {
        for (const backOff of [160_000, 300_000]) {
            const { dueInSeconds } = found("tikv", { ...dead.tikv, pods: { 1: crashLoop(5000, backOff, 5) } });
            assert.ok(dueInSeconds! < policy.periodSeconds);
        }
    });
});
