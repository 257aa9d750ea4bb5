import * as assert from "node:assert/strict";
import { tlsChange } from "../../../provider/lifecycle/prerequisites/clusterTls";
import type { DeployedMembers } from "../../../provider/lifecycle/prerequisites/seenVersions";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ContainerState, ObservedMember } from "../../../provider/lifecycle/vocabulary/observation";
import { claimOf, observed } from "../../support/lifecycle/observations";

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
    tlsChange(["pd"], wanted, { members: { pd: member }, pdClusterId: healthy ? "7" : undefined }, before).map(
        ({ property, reason }) => `${property}: ${reason.split(". ")[0]}`,
    );

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
        [
            "switched on where no pod is left, but volumes are",
            refusedBy(true, { ...pd([], false), claims: [claimOf("pd", 0)] }, false),
            ["found true, but StatefulSet basic-pd is without TLS"],
        ],
        ["of a new cluster", tlsChange(["pd"], true, { members: {}, pdClusterId: undefined }, {}).map(String), []],
    ];
    for (const [what, refused, expected] of rows) {
        it(`is ${expected.length === 0 ? "accepted" : "refused"} if it is ${what}`, () => {
            assert.deepEqual(
                refused,
                expected.map((reason) => `spec.tlsCluster.enabled: ${reason}`),
            );
        });
    }

    it("is refused with the reason, and what to do instead", () => {
        const [{ reason }] = tlsChange(["pd"], true, { members: { pd: pd([false]) }, pdClusterId: "7" }, {});
        assert.match(reason, /with http or https.*cannot reach each other: TLS cannot be switched on or off/);
        assert.match(reason, /Set it to false\. For a cluster with TLS, create a new one and move the data, with BR/);
    });
});
