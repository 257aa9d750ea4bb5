import * as fc from "fast-check";
import { shortTimeouts } from "./clusters";
import type { WorldOptions } from "./createWorld";
import type { Fault } from "./fault";
import type { Goal } from "./program";
import type { Clocks, Interruption } from "./process";

/** What the properties are tested with: worlds, programs, faults, and interruptions of runs. */

const hour = 3_600_000;
const skew = fc.constantFrom(0, 0, 3 * hour, -2 * hour, 90_000, -4_000);

const clocks: fc.Arbitrary<Clocks> = fc.record(
    { skew, jump: fc.record({ after: fc.nat(60_000), by: fc.constantFrom(-hour, -20_000, 20_000, hour) }) },
    { requiredKeys: ["skew"] },
);

/**
 * The cluster that shares the PD: one with another name, or one with the same name in another namespace or another
 * Kubernetes cluster. If only the domains distinguish the two clusters, both have one: a name without a domain belongs
 * to the Kubernetes cluster that resolves it.
 */
const neighbours = fc.constantFrom<Pick<WorldOptions, "theirs" | "domain">>(
    { theirs: { name: "basic", namespace: "other" } },
    { theirs: { name: "alpha", namespace: "tidb" } },
    { theirs: { name: "basic", namespace: "tidb", domain: "east.local" }, domain: "west.local" },
);

const ownOptions = fc.record({
    regions: fc.integer({ min: 8, max: 24 }),
    weight: fc.constantFrom(1, 1, 60),
    maxReplicas: fc.constantFrom(3, 3, 3, 3, 3, 3, 5, 2, 1),
    heartbeats: fc.constantFrom(
        { region: 60_000, store: 10_000 },
        { region: 12_000, store: 3_000 },
        { region: 12_000, store: 3_000 },
        { region: 20_000, store: 5_000 },
        { region: 12_000, store: 1_000 },
    ),
    reconnects: fc.constantFrom("R", "T", "T"),
    // A story with a watch takes several times as long: a late watch prolongs each wait, up to five minutes.
    watchLag: fc.oneof(
        { weight: 10, arbitrary: fc.constant(null) },
        { weight: 5, arbitrary: fc.constantFrom(0, 300, 5_000, 60_000, 100_000_000) },
    ),
    hasGateway: fc.constantFrom(true, true, true, true, false),
    zones: fc.constantFrom(0, 2, 3, 3),
    patrolSeconds: fc.constantFrom(0.01, 0.01, 10, 45, 90),
    // Images take a moment to be pulled, or longer than an update.
    delays: fc.record({
        write: fc.constantFrom(0, 2_000, 10_000),
        start: fc.constantFrom(0, 0, 5_000, 60_000, 120_000),
        // An observation may be 5 s old at most.
        login: fc.constantFrom(0, 7_000),
    }),
    clocks: fc.record({ kubernetes: skew, pd: skew }),
});

export const worldOptions: fc.Arbitrary<WorldOptions> = fc
    .tuple(ownOptions, neighbours)
    .map(([own, shared]) => ({ ...own, ...shared }));

export const sizes = fc.record({
    pd: fc.constantFrom(1, 2, 3, 3, 5, 5),
    tiflash: fc.constantFrom(1, 1, 2, 2, undefined),
    tikv: fc.constantFrom(3, 4, 5, 6),
    tidb: fc.constantFrom(0, 1, 1, 3, 4),
});

export const policies = fc.constantFrom<Goal["policy"]>(
    shortTimeouts,
    shortTimeouts,
    { ...shortTimeouts, scaleInParallelism: 2 },
    { ...shortTimeouts, evictLeaderTimeoutSeconds: 4, afterEvictLeaderTimeout: "restart" },
    { ...shortTimeouts, minReadySeconds: 5 },
    { ...shortTimeouts, evictionWindow: false },
    { ...shortTimeouts, parallelism: "zone", maxUnavailable: 2 },
    { ...shortTimeouts, parallelism: "zone", maxUnavailable: 3 },
    { ...shortTimeouts, parallelism: 3, maxUnavailable: 2 },
);

const component = fc.constantFrom("pd" as const, "tikv" as const, "tikv" as const, "tiflash" as const, "tidb" as const);
const ordinal = fc.nat(4);
const seconds = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 140 }));
const on = fc.constantFrom("ours" as const, "ours" as const, "ours" as const, "theirs" as const);
/** Counted from the start of the runs, in milliseconds. */
const at = fc.nat(150_000);
const region = fc.nat(40);

const anyFault = fc.oneof(
    {
        weight: 4,
        arbitrary: fc.record({
            at,
            seconds,
            on,
            component,
            ordinal,
            kind: fc.constantFrom(
                "pod-deleted",
                "crash",
                "crash",
                "sidecar-down",
                "node-down",
                "node-down",
                "node-cut",
                "node-cordoned",
                "node-cordoned",
            ),
        }),
    },
    {
        weight: 3,
        arbitrary: fc.record({
            at,
            seconds,
            on,
            kind: fc.constantFrom(
                "api-unreachable",
                "api-slow",
                "pd-unreachable",
                "pd-slow",
                "evictions-stuck",
                "eviction-lost",
                "pd-leader-moves",
                "pd-leader-moves",
                "keeps-paused",
                "pd-clock-jumps",
                "nodes-full",
            ),
        }),
    },
    {
        weight: 2,
        arbitrary: fc.record({
            at,
            seconds,
            region,
            kind: fc.constantFrom(
                "peers-lag",
                "peer-lost",
                "joint-stuck",
                "leaderless",
                "region-moves",
                "leaders-move",
                "misplaced",
            ),
        }),
    },
    {
        weight: 2,
        arbitrary: fc.record({
            at,
            seconds,
            ordinal,
            kind: fc.constantFrom("gauge-gone", "foreign-eviction", "store-busy", "limit-set"),
        }),
    },
    {
        weight: 2,
        arbitrary: fc.record({
            at,
            seconds,
            ordinal: fc.nat(8),
            kind: fc.constant("list" as const),
            list: fc.constantFrom("empty", "partial", "partial", "stale", "not-bootstrapped", "doubled", "elsewhere"),
        }),
    },
) as fc.Arbitrary<Fault>;

/** The most harmful faults: another store or member, or PD's leader, goes away while one is about to be taken down. */
const harmful = fc.oneof(
    {
        weight: 3,
        arbitrary: fc.record({
            seconds,
            component: fc.constantFrom(
                "tikv" as const,
                "tikv" as const,
                "tikv" as const,
                "pd" as const,
                "tiflash" as const,
                "tidb" as const,
            ),
            ordinal,
            kind: fc.constantFrom("crash", "crash", "node-down", "node-down", "node-cut", "pod-deleted"),
        }),
    },
    { weight: 1, arbitrary: fc.record({ seconds, kind: fc.constant("pd-leader-moves" as const) }) },
    {
        weight: 1,
        arbitrary: fc.record({
            seconds,
            region,
            kind: fc.constantFrom("peers-lag", "peer-lost", "joint-stuck", "misplaced"),
        }),
    },
    {
        weight: 2,
        arbitrary: fc.record({
            seconds,
            ordinal,
            kind: fc.constantFrom("foreign-eviction", "store-busy", "limit-set"),
        }),
    },
);
const after = fc.record({
    action: fc.constantFrom(
        "begin-eviction",
        "begin-eviction",
        "begin-eviction",
        "begin-batch",
        "raise-limits",
        "end-eviction",
        "delete-pod",
        "transfer-leader",
        "remove-store",
    ),
    nth: fc.nat(5),
});
const armedFault = fc
    .tuple(harmful, after, fc.nat(15_000))
    .map(([one, armed, at]) => ({ ...one, after: armed, at })) as fc.Arbitrary<Fault>;

const fault: fc.Arbitrary<Fault> = fc.oneof(anyFault, armedFault, armedFault);

/**
 * A region has no leader that reports it to PD's next leader, whose counts do not add up then: only the stores' own counts say whether
 * their leaders have left. Meanwhile an eviction is lost, the run sees it late, and PD takes its time with the next one.
 */
const uncounted = fc
    .record({ region, nth: fc.nat(2), lostAfter: fc.integer({ min: 3_000, max: 15_000 }), seconds: fc.nat(6) })
    .map(({ region, nth, lostAfter, seconds }): Fault[] => [
        { kind: "leaderless", region, at: 0, seconds: 1_000 },
        { kind: "pd-unreachable", after: { action: "begin-eviction", nth }, at: lostAfter - 2_000, seconds: 4 },
        { kind: "eviction-lost", after: { action: "begin-eviction", nth }, at: lostAfter, seconds: 1 },
        { kind: "evictions-stuck", after: { action: "begin-eviction", nth: nth + 1 }, at: 0, seconds },
    ]);

/** The faults of a story. */
export const faults: fc.Arbitrary<Fault[]> = fc
    .array(fc.oneof({ weight: 15, arbitrary: fault.map((one) => [one]) }, { weight: 1, arbitrary: uncounted }), {
        maxLength: 6,
    })
    .map((lists) => lists.flat());

export const interruption: fc.Arbitrary<Interruption> = fc.record({
    change: fc.nat(40),
    when: fc.constantFrom("before", "connecting", "after" as const),
    how: fc.constantFrom("kill", "kill", "stop", "refuse", "suspend", "suspend", "suspend" as const),
    seconds: fc.integer({ min: 1, max: 60 }),
    asleep: fc.boolean(),
});

/** What runs in parallel with a run: nothing, a second run of the same program, or a run of the other cluster. */
const parallel = fc.constantFrom<"nobody" | "same" | "theirs">("nobody", "nobody", "same", "theirs");

export const run = fc.record({
    goal: sizes,
    revision: fc.constantFrom("r1", "r2", "r2", "r3", "bad"),
    policy: policies,
    interruptions: fc.array(interruption, { maxLength: 2 }),
    clocks,
    parallel,
    parallelClocks: clocks,
    pause: fc.nat(40_000),
});
