import * as assert from "node:assert/strict";
import { type ManualClock, manualClock, settledCluster, type SettledCluster } from "../../sandbox/dataPlane";
import type { SettledClusterOptions } from "../../sandbox/dataPlane";
import type { ClusterState } from "../../sandbox/dataPlane/model/cluster";
import type { PdAnswer } from "../../sandbox/dataPlane/pdApi/call";
import { answerPd } from "../../sandbox/dataPlane/pdApi/answer";

/** A simulated PD that tests ask without a network, at a clock of their own. */
export interface AskedPd {
    readonly clock: ManualClock;
    readonly state: ClusterState;
    readonly cluster: SettledCluster;
    /** The answer of a member, by default of the leader, or of the first one where none leads. */
    ask(method: string, path: string, body?: object, pod?: string): PdAnswer;
    /** The JSON that it answers with 200. */
    json<T>(method: string, path: string, body?: object): T;
    /** Restarts a member's process and waits until it runs. */
    restart(pod: string): void;
    /** Hands the leadership to a member and waits until it has it: from then on, `since` milliseconds pass. */
    lead(pod: string): void;
}

/** @returns a cluster that is well, and its PD */
export function askedPd(options: SettledClusterOptions = {}): AskedPd {
    const clock = manualClock();
    const { state, cluster } = settledCluster({ ...options, clock });
    const ask = (method: string, path: string, body?: object, pod?: string): PdAnswer => {
        const url = new URL(path, "http://pd");
        const asked = pod ?? cluster.leader() ?? "basic-pd-0";
        const request = { pod: asked, method, path: url.pathname, query: url.searchParams, body };
        const answer = answerPd(state, request, clock());
        assert.ok(typeof answer !== "string", `${method} ${path}: ${String(answer)}`);
        return answer;
    };
    return {
        clock,
        state,
        cluster,
        ask,
        json: <T>(method: string, path: string, body?: object) => {
            const answer = ask(method, path, body);
            assert.equal(answer.status, 200, answer.body);
            return JSON.parse(answer.body) as T;
        },
        restart: (pod) => {
            cluster.stopPod(pod);
            cluster.startPod(pod);
            clock.advance(state.timings.memberHealthyAfterMilliseconds + 20);
        },
        lead: (pod) => {
            ask("POST", `/pd/api/v1/leader/transfer/${pod}`);
            for (let waited = 0; cluster.leader() !== pod; waited += 10) {
                assert.ok(waited < 10_000, `${pod} does not lead`);
                clock.advance(10);
            }
        },
    };
}

/** `leader_count` of each store, in the order of their ids. */
export function leaderCounts(pd: AskedPd): number[] {
    const { stores } = pd.json<{ stores: { status: { leader_count: number } }[] }>("GET", "/pd/api/v1/stores");
    return stores.map(({ status }) => status.leader_count);
}

/** `state_name` of each store. */
export function stateNames(pd: AskedPd): string[] {
    const { stores } = pd.json<{ stores: { store: { state_name: string } }[] }>("GET", "/pd/api/v1/stores");
    return stores.map(({ store }) => store.state_name);
}

export function total(numbers: readonly number[]): number {
    return numbers.reduce((sum, one) => sum + one, 0);
}

/** The value of a line of a member's metrics. */
export function metric(pd: AskedPd, line: string, pod?: string): number | undefined {
    const found = pd
        .ask("GET", "/metrics", undefined, pod)
        .body.split("\n")
        .find((one) => one.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
}
