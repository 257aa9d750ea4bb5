import * as assert from "node:assert/strict";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { FixedClaim } from "../../../../provider/lifecycle/vocabulary/fixedFields";
import type { MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import { lackingBelow, podCreated } from "../../../../provider/lifecycle/stages/sharedStages";
import { startsInOrder } from "../../../../provider/lifecycle/stages/batches/startsInOrder";
import { viewOf } from "../../../../provider/lifecycle/vocabulary/stage";
import { nextVolumesMove } from "../../../../provider/lifecycle/volumes/nextVolumesMove";
import { droppedVolumes, refusedTogether } from "../../../../provider/lifecycle/volumes/planPodVolumes";
import { dueVolumes } from "../../../../provider/lifecycle/volumes/planVolumes";
import { nextRolloutMove, walkOrder } from "../../../../provider/lifecycle/walks/rollout";
import { claimOf, type Deviation, inShort, now, observed } from "../../../support/lifecycle/observations";
import { plannedRollout } from "../../../support/lifecycle/planned";

const data: FixedClaim = { name: "tikv", storage: "10Gi", storageClass: "fast" };
const log: FixedClaim = { name: "tikv-log", storage: "1Gi", storageClass: "cheap" };
const trace: FixedClaim = { ...log, name: "tikv-trace" };
const namesOf = (claims: readonly FixedClaim[]) => claims.map(({ name }) => name);

interface Row extends Deviation {
    /** The volumes of each pod. */
    has: readonly (readonly FixedClaim[])[];
    set: readonly FixedClaim[];
    program: readonly FixedClaim[];
}

function clusterOf({ has, set, program, pods = {}, ...row }: Row) {
    const { observation, target } = observed("tikv", {
        live: has.length,
        claimTemplates: [...set],
        pods: Object.fromEntries(
            has.map((claims, ordinal) => {
                const isAway = ordinal in pods && pods[ordinal] === undefined;
                return [ordinal, isAway ? undefined : { volumes: namesOf(claims), ...pods[ordinal] }];
            }),
        ),
        claims: has.flatMap((claims, ordinal) =>
            claims.map(({ name }) => claimOf("tikv", ordinal, { name: `${name}-basic-tikv-${ordinal}` })),
        ),
        ...row,
    });
    const wanted: MemberTarget = { ...target, claims: [...program] };
    return { observation, target: wanted };
}

const [one, both] = [[data], [data, log]];
const stale = { revision: "old" };

/** The ordinals of the pods in the order in which they are checked. */
const orders: [name: string, row: Partial<Row>, order: number[]][] = [
    ["all have the volumes", { has: [both, both, both] }, [2, 1, 0]],
    ["all lack one", { has: [one, one, one] }, [0, 1, 2]],
    ["the lowest has it", { has: [both, one, one] }, [0, 1, 2]],
    ["one that has it and is stale waits for those below", { has: [one, one, both], pods: { 2: stale } }, [0, 1, 2]],
    [
        "those below the first that lacks one come in their usual order",
        { has: [both, both, one], pods: { 0: stale, 1: stale } },
        [2, 1, 0],
    ],
    ["the template of the program, and not one that it drops", { has: [one, one, one], program: one }, [2, 1, 0]],
];

describe("the volumes of pods", () => {
    for (const [name, row, order] of orders) {
        it(`decide the order of the restarts: ${name}`, () => {
            const { observation, target } = clusterOf({ has: [], set: both, program: both, ...row });
            assert.deepEqual(
                walkOrder(observation, target).map(({ ordinal }) => ordinal),
                order,
            );
        });
    }

    it("restart a pod that lacks one, and runs the newest template", () => {
        const { observation, target } = clusterOf({ has: [both, one, one], set: both, program: both });
        assert.equal(lackingBelow(viewOf(observation, target, 2))?.podName, "basic-tikv-1");
        const restarted = plannedRollout(observation, target).map(({ kind, target: pod, why }) => [kind, pod, why]);
        assert.deepEqual(restarted, [
            ["restart", "basic-tikv-1", "gets claim tikv-log-basic-tikv-1 (1Gi of cheap)"],
            ["restart", "basic-tikv-2", "gets claim tikv-log-basic-tikv-2 (1Gi of cheap)"],
        ]);
    });

    it("are in the plan of the restarts before the StatefulSet has them", () => {
        const { observation, target } = clusterOf({ has: [both, both], set: both, program: [data, trace] });
        const steps = plannedRollout(observation, { ...target, templateRevision: "other" });
        assert.deepEqual(
            steps.map(({ target: of, why }) => `${of}: ${why}`),
            [
                "basic-tikv: without volume tikv-log",
                ...[0, 1].map(
                    (one) =>
                        `basic-tikv-${one}: new template; gets claim tikv-trace-basic-tikv-${one} (1Gi of cheap), loses volume tikv-log`,
                ),
            ],
        );
    });

    it("keep a pod that cannot start from being deleted while PD is silent, if it would not come back", () => {
        const dead = {
            ...stale,
            ready: false,
            trouble: "CrashLoopBackOff",
            container: known({ is: "stopped" } as const, "its node", now),
        };
        const move = (has: Row["has"]) => {
            const { observation, target } = observed("pd", {
                live: 3,
                pdSilent: true,
                claimTemplates: [
                    { ...data, name: "pd" },
                    { ...log, name: "pd-log" },
                ],
                pods: Object.fromEntries(
                    has.map((claims, ordinal) => [
                        ordinal,
                        {
                            volumes: namesOf(claims).map((name) => name.replace("tikv", "pd")),
                            ...(ordinal === 2 ? dead : {}),
                        },
                    ]),
                ),
            });
            return nextRolloutMove(observation, target, emptyMemory);
        };
        assert.equal(move([both, both, both]).kind, "act");
        assert.equal(move([one, both, both]).kind, "wait");
    });

    it("are why a pod that is away does not come back, in the words of the wait", () => {
        const row = { has: [one, one, both], set: both, program: both, pods: { 2: undefined } };
        const { observation, target } = clusterOf(row);
        const move = nextRolloutMove(observation, target, emptyMemory);
        assert.ok(move.kind === "wait");
        assert.equal(
            move.waitingFor,
            "basic-tikv-2 has not been created: Kubernetes makes it once basic-tikv-0 has volume tikv-log",
        );
        assert.match(move.next ?? "", /put the program's volumes back/);
        assert.equal(
            podCreated.holds(viewOf(clusterOf({ ...row, has: [both, both, both] }).observation, target, 1)),
            true,
        );
    });

    it("keep pods from restarting side by side", () => {
        const why = (has: Row["has"]) => startsInOrder(clusterOf({ has, set: both, program: both }));
        assert.match(why([both, one, one])?.why ?? "", /no pod above basic-tikv-1/);
        assert.equal(why([both, both, both]), undefined);
    });

    it("are added while all pods above the first that lacks one run: another one would stay away", () => {
        const move = (has: Row["has"], pods: Deviation["pods"], set = one) => {
            const { observation, target } = clusterOf({ has, set, program: both, pods });
            const next = nextVolumesMove(observation, target, emptyMemory);
            return next && inShort(next);
        };
        const lacking = [one, one, one];
        assert.match(move(lacking, {}) ?? "", /^recreate basic-tikv/);
        assert.match(move(lacking, { 2: { ready: false } }) ?? "", /^wait pod-available basic-tikv-2/);
        assert.match(move(lacking, { 1: undefined }) ?? "", /^wait pod-created basic-tikv-1/);
        assert.match(move(lacking, { 1: { terminating: true } }) ?? "", /^wait pod-stopped basic-tikv-1/);
        // As where a volume was taken out, and the pod does not start without it.
        assert.match(move([both, both, one], { 2: { ready: false } }) ?? "", /^recreate basic-tikv/);
    });

    it("are added to the StatefulSet with those that the program drops, and dropped before the restarts", () => {
        const renamed = clusterOf({ has: [both, both, both], set: both, program: [data, trace] });
        const added = nextVolumesMove(renamed.observation, renamed.target, emptyMemory);
        assert.ok(added?.kind === "act" && added.action.do === "remake-stateful-set");
        const templates = added.action.manifest.spec.volumeClaimTemplates ?? [];
        assert.deepEqual(
            templates.map(({ metadata }) => metadata.name),
            ["tikv", "tikv-trace", "tikv-log"],
        );
        const { resources } = templates[1].spec;
        assert.deepEqual(templates[1].spec, {
            accessModes: ["ReadWriteOnce"],
            resources: { ...resources, requests: { storage: "1Gi" } },
            storageClassName: "cheap",
        });
        const rest = clusterOf({ has: [both, both, both], set: [data, trace, log], program: [data, trace] });
        const dropped = nextRolloutMove(rest.observation, rest.target, emptyMemory);
        assert.ok(dropped.kind === "act" && dropped.action.do === "remake-stateful-set");
        assert.deepEqual(namesOf(dropped.action.becomes.fixed.claims), ["tikv", "tikv-trace"]);
    });

    it("stay as they are where the program's are not known", () => {
        const { observation, target } = clusterOf({ has: [both], set: both, program: one });
        const { claims, ...unknown } = target;
        assert.ok(claims);
        assert.notEqual(inShort(nextRolloutMove(observation, unknown, emptyMemory)).split(" ")[0], "recreate");
    });

    const together: [name: string, row: Partial<Row>, replaced: string[], what: RegExp | undefined][] = [
        ["nothing else", {}, [], undefined],
        ["more replicas", { replicas: 4 }, [], /\(tikv-log\) together with 3 to 4 replicas/],
        ["fewer replicas", { replicas: 2 }, [], /together with 3 to 2 replicas/],
        ["a dead pod that is replaced", {}, ["basic-tikv-1"], /a replacement of basic-tikv-1/],
        [
            "another class of another volume",
            { program: [{ ...data, storageClass: "cheap" }, log] },
            [],
            /a replacement of volumes/,
        ],
        ["more replicas, taken out", { set: both, program: one, replicas: 4 }, [], /together with 3 to 4/],
        ["more replicas while pods still lack it", { set: both, replicas: 4 }, [], /together with 3 to 4/],
        ["more replicas once all have it", { set: both, has: [both, both, both], replicas: 4 }, [], undefined],
    ];
    for (const [name, row, replaced, what] of together) {
        it(`are not changed together with ${name}, if that changes pods`, () => {
            const states = {
                state: { phase: "Bound", hasSource: false, requested: "10Gi", capacity: "10Gi", storageClass: "fast" },
            };
            const claims = [0, 1, 2].map((ordinal) => claimOf("tikv", ordinal, states));
            const all = { has: [one, one, one], set: one, program: both, claims, ...row };
            const { observation, target } = clusterOf(all);
            const refused = refusedTogether(observation, target, replaced);
            if (what === undefined) {
                assert.equal(refused, undefined);
            } else {
                assert.equal(refused?.field, "storageVolumes");
                assert.match(refused.reason, what);
            }
        });
    }

    it("are shown: what each pod gets, and what becomes of the claims of those that no pod has any more", () => {
        const { observation, target } = clusterOf({ has: [both, both], set: both, program: [data, trace] });
        assert.deepEqual(
            dueVolumes(observation, target).map(({ kind, why }) => [kind, why]),
            [["recreate", "each pod gets 1Gi of cheap for tikv-trace when it restarts"]],
        );
        assert.deepEqual(
            droppedVolumes(observation, target).map(({ message }) => message),
            [
                "tikv-log-basic-tikv-0 and 1 more claim stay when no pod has the volume any more. Nothing moves to tikv-trace, which starts empty: delete what is not needed",
            ],
        );
    });
});
