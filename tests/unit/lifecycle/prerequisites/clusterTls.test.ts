import * as assert from "node:assert/strict";
import type { Component } from "../../../../topology/members";
import { tlsChange } from "../../../../provider/lifecycle/prerequisites/clusterTls";
import type { DeployedMembers } from "../../../../provider/lifecycle/prerequisites/seenVersions";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { ContainerState, ObservedMember } from "../../../../provider/lifecycle/vocabulary/observation";
import { claimOf, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

/** PD whose pods mount the certificate or not; without pods its StatefulSet does or does not; null: there is none. */
function pd(pods: boolean[], template: boolean | null = pods[0] ?? false, neverStarted = false): ObservedMember {
    const member = observed("pd", {}).observation.members.pd!;
    const { container } = member.pods[0];
    const waiting = known({ is: "not-started" } as ContainerState, "node one", 0);
    return {
        ...member,
        pods: pods.map((clusterTls, ordinal) => ({
            ...member.pods[0],
            name: `basic-pd-${ordinal}`,
            clusterTls,
            container: neverStarted ? waiting : container,
        })),
        claims: [],
        statefulSet: template === null ? undefined : { ...member.statefulSet!, clusterTls: template },
    };
}

const refusedBy = (wanted: boolean, member: ObservedMember, healthy = true, before: DeployedMembers = {}): string[] =>
    changeOf(wanted, member, healthy, before).refused.map(
        ({ property, reason }) => `${property}: ${reason.split(". ")[0]}`,
    );
const changeOf = (wanted: boolean, member: ObservedMember, healthy = true, before: DeployedMembers = {}) =>
    tlsChange(["pd"], wanted, { members: { pd: member }, pdClusterId: healthy ? "7" : undefined }, before);

describe("TLS between members", () => {
    const rows: [string, string[], string[]][] = [
        [
            "switched on where PD runs without it",
            refusedBy(true, pd([false, false])),
            ["found true, but basic-pd-0 runs without TLS"],
        ],
        [
            "switched off where PD runs with it",
            refusedBy(false, pd([true, true])),
            ["found false, but basic-pd-0 runs with TLS"],
        ],
        ["the same as before, with TLS", refusedBy(true, pd([true, true])), []],
        ["the same as before, without TLS", refusedBy(false, pd([false, false])), []],
        ["half switched already, whichever way it goes on", refusedBy(false, pd([false, true])), []],
        ["half switched already, the other way", refusedBy(true, pd([false, true])), []],
        [
            "switched on while every pod is gone, of a cluster that was healthy once",
            refusedBy(true, pd([], false)),
            ["found true, but StatefulSet basic-pd is without TLS"],
        ],
        [
            "switched on in a suspended cluster, which has no StatefulSet",
            refusedBy(true, pd([], null), true, { pd: { runs: false, tls: false } }),
            ["found true, but the last update was without TLS"],
        ],
        ["switched on before the first pod has ever started", refusedBy(true, pd([false], false, true), false), []],
        ["switched back in a cluster that was never healthy", refusedBy(false, pd([true, true]), false), []],
    ];
    for (const [what, refused, expected] of rows) {
        it(`is ${expected.length === 0 ? "accepted" : "refused"} if it is ${what}`, () => {
            assert.deepEqual(
                refused,
                expected.map((reason) => `spec.tlsCluster.enabled: ${reason}`),
            );
        });
    }

    it("is a warning if it is switched in a cluster that was never healthy: the volumes may be those of an earlier one", () => {
        const {
            warnings: [warning, ...others],
            risks,
        } = changeOf(false, pd([true]), false);
        assert.deepEqual(risks, ["PD may not find its members, because TLS may be switched"]);
        repeats(warning, "spec.tlsCluster.enabled: found false", "basic-pd-0");
        assert.deepEqual(others, []);
    });

    it("is a warning if PD starts on volumes of which nothing shows whether TLS was used", () => {
        const kept = { ...pd([], null), claims: [claimOf("pd", 0), claimOf("pd", 1, { released: true })] };
        const {
            warnings: [warning, ...others],
            risks,
        } = changeOf(true, kept, false);
        assert.deepEqual(risks, ["PD may not find its members, because TLS may be switched"]);
        repeats(warning, "found true", "pd-basic-pd-0");
        assert.deepEqual(others, []);
        assert.deepEqual(changeOf(true, pd([true]), false).warnings, []);
        assert.deepEqual(tlsChange(["pd"], true, { members: {} }, {}), { refused: [], warnings: [], risks: [] });
    });

    it("is what the claims of an earlier cluster record, if they record it", () => {
        const kept = (...tls: (boolean | undefined)[]) => ({
            ...pd([], null),
            claims: tls.map((one, ordinal) => claimOf("pd", ordinal, { tls: one })),
        });
        for (const same of [kept(true, true), kept(undefined, true)]) {
            assert.deepEqual(changeOf(true, same, false), { refused: [], warnings: [], risks: [] });
        }
        const [refusal] = changeOf(true, kept(undefined, false), false).refused;
        repeats(refusal.reason, "found true", "pd-basic-pd-1", "Set it to false");
        repeats(changeOf(false, kept(true), false).refused[0].reason, "found false", "Set it to true");
        const released = {
            ...pd([], null),
            claims: [claimOf("pd", 0, { tls: false, released: true }), claimOf("pd", 1)],
        };
        assert.deepEqual(changeOf(true, released, false).refused, []);
        repeats(changeOf(true, released, false).warnings, "claim pd-basic-pd-1");
    });

    it("is read from the first of PD, TiKV and TiDB that shows it: others mount another member's certificate", () => {
        const [tso, tikv] = [pd([false]), pd([true])];
        const live = (members: Partial<Record<Component, ObservedMember>>) => ({ members, pdClusterId: "7" });
        const asked = ["tso", "pd", "tikv"] as const;
        assert.equal(tlsChange(asked, false, live({ tso, pd: pd([true]) }), {}).refused.length, 1);
        assert.equal(tlsChange(asked, false, live({ tso, tikv }), {}).refused.length, 1);
        assert.equal(tlsChange(asked, true, live({ tso }), {}).refused.length, 0);
        assert.equal(tlsChange(asked, false, live({ pd: pd([true]), tikv: pd([false]) }), {}).refused.length, 1);
    });
});
