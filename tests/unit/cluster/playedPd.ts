import * as assert from "node:assert/strict";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import type { PdLook } from "../../../provider/cluster/observePd";
import type { Fact } from "../../../provider/lifecycle/vocabulary/evidence";
import type { PdClient } from "../../../provider/pd";
import { PdError, type PdErrorCode } from "../../../provider/pd/pdError";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
export const pdError = (code: PdErrorCode) => new PdError({ code, call: "ask", attempts: [], next: "" });

/** PD's client, each of whose calls is answered by this function of its name, or fails as PD that refuses. */
export function pdThat(answers: Record<string, (...given: never[]) => unknown>): { client: PdClient; asked: string[] } {
    const asked: string[] = [];
    const get =
        (_target: object, call: string) =>
        async (...given: never[]) => {
            asked.push([call, ...given].join(" "));
            const answer = await Promise.resolve((answers[call] ?? (() => pdError("PD_REFUSED")))(...given));
            if (answer instanceof Error) {
                throw answer;
            }
            return answer;
        };
    return { client: new Proxy({}, { get }) as PdClient, asked };
}

export function lookAtPd(parts: PdLook["parts"], more: Partial<PdLook> = {}): PdLook {
    const watch = new LeadershipTracker();
    return { parts, id, restarted: undefined, isFirstDeployment: false, watch, now: () => 1_000, ...more };
}

export function valueOf<T>(fact: Fact<T>): T {
    assert.ok(fact.known, fact.known ? "" : fact.why);
    return fact.value;
}
