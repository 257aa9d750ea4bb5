import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { nextFailoverMove } from "../../../../provider/lifecycle/failover/failoverMoves";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy, type MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import {
    crashed,
    crashLoop,
    downFor,
    failed,
    found as deaths,
    lostNode,
    minutes,
    policy,
    readyBetweenCrashes,
} from "../../../support/lifecycle/deaths";
import { claimOf, type Deviation, inShort, observed } from "../../../support/lifecycle/observations";
import { clusterWorld, leaseOf, told } from "../../gates/clusterWorld";
import { repeats } from "../../../support/repeats";

const loop = crashLoop(20_000, 5 * minutes);

/** Pod 1 of three or more ends again and again, and is dead to PD or by its own page. */
const looping = {
    pd: { unhealthy: [1] },
    tikv: { stores: { 1: downFor(60 * minutes) } },
    tiflash: { live: 3, tiflash: { 1: downFor(60 * minutes) } },
    tidb: { live: 3, trouble: { 1: "is not Ready" } },
} as const satisfies Record<string, Deviation>;
type Member = keyof typeof looping;
const members = Object.keys(looping) as Member[];

const found = (component: Member, row: Deviation, more?: Partial<MemberTarget>) =>
    deaths(component, { pods: { 1: loop }, ...(looping[component] as Deviation), ...row }, more);

for (const component of members) {
    describe(`a pod of ${component} that ends again and again`, () => {
        const one = `basic-${component}-1`;
        const others = Array.from({ length: component === "tikv" ? 4 : 3 }, (_, at) => at).filter((at) => at !== 1);

        it("is replaced if another one is well on its template", () => {
            assert.deepEqual(found(component, { stale: others.slice(1) }).dead, [one]);
        });

        it("keeps its volume if it alone runs a template, which may be to blame", () => {
            const { dead, kept } = found(component, { stale: others });
            assert.deepEqual([dead, kept], [[], ["unknown"]]);
        });

        it("keeps its volume if what else runs its template ends again and again too", () => {
            const pods = { 0: { ...readyBetweenCrashes() }, 1: loop };
            assert.deepEqual(found(component, { pods, stale: others.slice(1) }).dead, []);
        });

        it("restarts first on the template that its StatefulSet already has for it", () => {
            const { dead, kept } = found(component, { stale: [1] });
            assert.deepEqual([dead, kept], [[], ["unknown"]]);
        });

        it("restarts first on the template that the update brings", () => {
            for (const wanted of [{ wantedTemplate: "corrected" }, { templateRevision: "corrected" }]) {
                const { dead, kept } = found(component, {}, { templateRevision: undefined, ...wanted });
                assert.deepEqual([dead, kept], [[], ["unknown"]]);
            }
        });

        it("is replaced in an update that brings no template, or only where pods may run", () => {
            for (const wantedTemplate of [undefined, "new-template", "new-template+spread"]) {
                assert.deepEqual(found(component, {}, { templateRevision: undefined, wantedTemplate }).dead, [one]);
            }
        });

        it("is dead whatever its template, if its node is silent", () => {
            const pods = { 1: lostNode(60 * minutes) };
            assert.deepEqual(found(component, { pods, stale: others }).dead, [one]);
        });
    });
}

describe("a store whose process has ended once, since it alone has a new template", () => {
    it("restarts on the corrected template before it is replaced", () => {
        const pods = { 1: crashed(60 * minutes) };
        assert.deepEqual(found("tikv", { pods, stale: [0, 2, 3] }).dead, []);
        assert.deepEqual(found("tikv", { pods }).dead, ["basic-tikv-1"]);
    });
});

describe("a PD member that a failover has noted, and whose pod alone has a new template", () => {
    const failovers = failed("pd", 1, { counts: undefined, member: { name: "basic-pd-1", id: "101" } });
    const row: Deviation = {
        unhealthy: [1],
        pods: { 1: loop },
        claims: [claimOf("pd", 1)],
        records: { ...noRecords(), failovers },
    };
    const next = (stale: number[]) => {
        const { observation, target } = observed("pd", { ...row, stale });
        const move = nextFailoverMove(observation, target, { policy, planned: ["basic-pd-1"] }, emptyMemory);
        return move === undefined ? "none" : inShort(move);
    };
    it("loses nothing that it still has", () => {
        assert.equal(next([]), "wait member-stays-unhealthy basic-pd-1");
        assert.equal(next([0, 2]), "none");
    });
});

describe("the update that corrects a bad setting", () => {
    const check = (wantedTemplate: string | undefined, stale: number[]) =>
        createGate(
            scaleGateDefinition,
            clusterWorld({
                live: { pd: { unhealthy: [2], pods: { 2: loop }, stale, claims: [claimOf("pd", 2)] } },
                lease: leaseOf(),
            }),
        ).check(
            {},
            told({
                gate: "scale",
                component: "pd",
                desiredReplicas: 3,
                policy: defaultPolicy,
                failover: policy,
                fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
                wantedTemplate,
            }),
        );

    it("does not plan to delete the volume of the PD that crashed on the bad one", async () => {
        for (const [wanted, stale] of [
            ["new-template", [0, 1]],
            ["corrected", [0, 1]],
            ["corrected", []],
        ] as const) {
            const { inputs } = await check(wanted, [...stale]);
            assert.deepEqual([inputs.plan, inputs.replicas, inputs.replaces], [[], 3, undefined]);
        }
        const { inputs } = await check("new-template", []);
        repeats(inputs.plan, "replace basic-pd-2 ");
    });
});
