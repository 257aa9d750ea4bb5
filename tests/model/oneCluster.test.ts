import assert from "node:assert/strict";
import fc from "fast-check";
import {
    initialState,
    type DiscoveryState,
    type ListedMember,
    type PdAnswer,
} from "../../components/discovery/server/model";
import { decide } from "../../components/discovery/server/protocol";

/** A PD pod: what its volume holds, and what it is doing. A pod asks only when its volume is empty. */
interface PdPod {
    /** Number of the cluster whose data the volume holds. */
    data?: number;
    phase: "asking" | "down" | "running" | { told: string };
}

type Event =
    | { kind: "ask"; pod: number; discovery: number; pdIsSeen: boolean; isAnswered: boolean }
    | { kind: "begin" | "crash" | "lose-volume"; pod: number }
    | { kind: "restart-discovery" | "look"; discovery: number; pdIsSeen: boolean }
    | { kind: "wait"; milliseconds: number }
    | { kind: "scale-out" };

/** PD pods, and one or several discoveries (old and new ones that overlap), in a world where anything may happen. */
class World {
    readonly pods: PdPod[];
    readonly states: DiscoveryState[];
    formed = 0;
    private now = 0;

    constructor(replicas: number, discoveries: number) {
        this.pods = Array.from({ length: replicas }, () => ({ phase: "asking" as const }));
        this.states = Array.from({ length: discoveries }, () => initialState);
    }

    apply(event: Event): void {
        switch (event.kind) {
            case "ask":
                return this.ask(event.pod, event.discovery, event.pdIsSeen, event.isAnswered);
            case "begin":
                return this.begin(event.pod);
            case "crash": {
                const pod = this.pods[event.pod % this.pods.length];
                pod.phase = pod.data === undefined ? "asking" : "down";
                return;
            }
            case "lose-volume":
                this.pods[event.pod % this.pods.length] = { phase: "asking" };
                return;
            case "restart-discovery":
                this.states[event.discovery % this.states.length] = initialState;
                return;
            case "look": {
                const index = event.discovery % this.states.length;
                if (this.pd(event.pdIsSeen).kind !== "none") {
                    this.states[index] = { ...this.states[index], formed: true };
                }
                return;
            }
            case "wait":
                this.now += event.milliseconds;
                return;
            case "scale-out":
                if (this.pods.length < 5) {
                    this.pods.push({ phase: "asking" });
                }
        }
    }

    ask(pod: number, discovery: number, pdIsSeen: boolean, isAnswered: boolean): void {
        const ordinal = pod % this.pods.length;
        if (this.pods[ordinal].phase !== "asking") {
            return;
        }
        const index = discovery % this.states.length;
        const member = `basic-pd-${ordinal}`;
        const decision = decide(
            this.states[index],
            { member, ordinal, host: `${member}.basic-pd-peer.tidb.svc` },
            {
                now: this.now,
                pd: this.pd(pdIsSeen),
                ordinals: { ordinals: this.pods.map((_, one) => one) },
                cluster: { name: "basic", scheme: "http", namedByHost: false, joinsAnother: false, pdAddresses: [] },
            },
        );
        this.states[index] = decision.state;
        if (isAnswered && decision.answer.kind === "start") {
            this.pods[ordinal].phase = { told: decision.answer.argument };
        }
    }

    /** The pod carries on: with its data, or as it was told. */
    begin(number: number): void {
        const pod = this.pods[number % this.pods.length];
        if (pod.phase === "down") {
            pod.phase = "running";
        }
        if (typeof pod.phase !== "object") {
            return;
        }
        if (pod.phase.told.startsWith("--initial-cluster=")) {
            const others = this.pods.filter((other) => other.data !== undefined);
            assert.equal(others.length, 0, "a member forms a cluster while another member holds data");
            pod.data = this.formed++;
            pod.phase = "running";
        } else {
            const leader = this.pods.find((other) => other.phase === "running");
            pod.data = this.hasQuorum() ? leader?.data : undefined;
            pod.phase = pod.data === undefined ? "asking" : "running";
        }
    }

    private hasQuorum(): boolean {
        const holding = this.pods.filter((pod) => pod.data !== undefined);
        return holding.filter((pod) => pod.phase === "running").length * 2 > holding.length;
    }

    private pd(isSeen: boolean): PdAnswer {
        if (!isSeen || !this.pods.some((pod) => pod.phase === "running")) {
            return { kind: "none", detail: "connection refused" };
        }
        if (!this.hasQuorum()) {
            return { kind: "present", own: true, detail: "[PD:apiutil:ErrRedirect]redirect failed" };
        }
        const members = this.pods.flatMap((pod, ordinal): ListedMember[] =>
            pod.data === undefined
                ? []
                : [
                      {
                          name: `basic-pd-${ordinal}`,
                          peerUrls: [`http://pd-${ordinal}:2380`],
                          clientUrls: ["http://x:2379"],
                      },
                  ],
        );
        return { kind: "members", own: true, members };
    }
}

const index = fc.nat({ max: 4 });
const ask = fc.record({
    kind: fc.constant("ask" as const),
    pod: index,
    discovery: index,
    pdIsSeen: fc.boolean(),
    isAnswered: fc.boolean(),
});
const begin = fc.record({ kind: fc.constant("begin" as const), pod: index });
const crash = fc.record({ kind: fc.constantFrom("crash" as const), pod: index });
const loseVolume = fc.record({ kind: fc.constant("lose-volume" as const), pod: index });
const ofDiscovery = fc.record({
    kind: fc.constantFrom("restart-discovery" as const, "look" as const),
    discovery: index,
    pdIsSeen: fc.boolean(),
});
const wait = fc.record({ kind: fc.constant("wait" as const), milliseconds: fc.nat({ max: 20_000 }) });
const scaleOut = fc.constant({ kind: "scale-out" as const });
const calm = [
    { weight: 12, arbitrary: ask },
    { weight: 5, arbitrary: begin },
    { weight: 2, arbitrary: crash },
    { weight: 1, arbitrary: ofDiscovery },
    { weight: 2, arbitrary: wait },
    { weight: 1, arbitrary: scaleOut },
];
const replicas = fc.integer({ min: 1, max: 5 });
const history = (weights: typeof calm) =>
    fc.array<Event>(fc.oneof(...(weights as { weight: number; arbitrary: fc.Arbitrary<Event> }[])), {
        maxLength: 120,
        size: "max",
    });

function run(world: World, events: readonly Event[]): World {
    for (const event of events) {
        world.apply(event);
    }
    return world;
}

describe("discovery, with random events in random order", () => {
    it("forms no cluster while a volume holds data: asks, lost answers, crashes, lost volumes, restarts, growth", () => {
        const withLoss = [...calm, { weight: 2, arbitrary: loseVolume }] as unknown as typeof calm;
        fc.assert(
            fc.property(replicas, history(withLoss), (count, events) => {
                run(new World(count, 1), events);
            }),
            { numRuns: 3_000 },
        );
    });

    it("forms at most one cluster with two overlapping discoveries, as long as no volume is lost", () => {
        fc.assert(
            fc.property(replicas, history(calm), (count, events) => {
                assert.ok(run(new World(count, 2), events).formed <= 1);
            }),
            { numRuns: 3_000 },
        );
    });

    it("brings all members into the cluster once the events end", () => {
        fc.assert(
            fc.property(replicas, history(calm), (count, events) => {
                const world = run(new World(count, 1), events);
                for (let round = 0; round < 40; round++) {
                    world.pods.forEach((_, pod) => world.begin(pod));
                    world.pods.forEach((_, pod) => world.ask(pod, 0, true, true));
                    world.apply({ kind: "wait", milliseconds: 2_000 });
                }
                assert.deepEqual(
                    world.pods.map((pod) => [pod.phase, pod.data]),
                    world.pods.map(() => ["running", 0]),
                );
            }),
            { numRuns: 500 },
        );
    });
});
