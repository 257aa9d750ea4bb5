import * as assert from "node:assert/strict";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { Component } from "../../../topology/members";
import { healthy, now, observationOf, type Seen, statusOf } from "./seenCluster";
import { codesOf } from "../../support/repeats";

const memberOf = (seen: Seen, component: Component) =>
    statusOf(seen).members.find((member) => member.component === component);
const podOf = (seen: Seen, pod: string) =>
    statusOf(seen)
        .members.flatMap(({ pods }) => pods)
        .find(({ name }) => name === pod);
const members = { pd: 3, tikv: 3, tidb: 2, tiflash: 1, ticdc: 1 };
/** PD's members as they are seen, with the version that the first one says. */
function pdSaying(version: string, more: object = {}): Partial<Seen> {
    const { members: list } = observationOf(healthy()).pd;
    return {
        pd: {
            members: known(
                list.known ? [{ ...list.value[0], version, ...more }, ...list.value.slice(1)] : [],
                "PD",
                now,
            ),
        },
    };
}
const said = { version: "8.5.2", startedAt: now };

describe("the versions that a member runs", () => {
    it("are those of pods whose container has started", () => {
        const image = "pingcap/tidb:does-not-exist";
        const waits = { image, ready: false, container: known({ is: "not-started" } as const, "the API server", now) };
        assert.deepEqual(memberOf(healthy({ pods: { "basic-tidb-1": waits } }), "tidb")?.running, [
            { version: "v8.5.3", pods: 1 },
        ]);
    });

    const others: [pod: string, more: Partial<Seen>][] = [
        ["basic-pd-0", pdSaying("v8.5.2")],
        ["basic-tikv-0", { stores: { "basic-tikv-0": said } }],
        ["basic-tiflash-0", { stores: { "basic-tiflash-0": { ...said, version: "v8.5.2" } } }],
        ["basic-tidb-0", { observation: { podVersions: { "basic-tidb-0": "v8.5.2" } } }],
        [
            "basic-ticdc-0",
            {
                observation: {
                    captures: { byPod: { "basic-ticdc-0": { id: "1", version: "v8.5.2" } }, list: [], tablesLeft: {} },
                },
            },
        ],
    ];
    for (const [pod, more] of others) {
        it(`are what the server says, not the tag behind which a registry has another build: ${pod}`, () => {
            const seen = healthy({ members, ...more });
            const { version, tag } = podOf(seen, pod) ?? {};
            assert.deepEqual([version, tag], ["v8.5.2", "v8.5.3"]);
            assert.deepEqual(
                statusOf(seen).remarks.map(({ code, message }) => [code, message.includes(`${pod} `)]),
                [["version-not-of-tag", true]],
            );
        });
    }

    it("are named together where several pods of a member run the same other build", () => {
        const seen = healthy({ stores: { "basic-tikv-0": said, "basic-tikv-2": said } });
        assert.deepEqual(codesOf(statusOf(seen).remarks), ["version-not-of-tag"]);
        assert.deepEqual(memberOf(seen, "tikv")?.running, [
            { version: "v8.5.2", pods: 2 },
            { version: "v8.5.3", pods: 1 },
        ]);
        assert.deepEqual(memberOf(seen, "tikv")?.tags, [{ version: "v8.5.3", pods: 3 }]);
    });

    it("are no sign that an update has not ended: every pod has the image that the program names", () => {
        const seen = healthy({ stores: { "basic-tikv-0": said } });
        assert.deepEqual(codesOf(statusOf(seen).remarks), ["version-not-of-tag"]);
        assert.equal(statusOf(seen).conditions[0].status, "True");
    });

    it("are what the server says where the tag is no version, without a note", () => {
        const nightly = { image: "pingcap/tikv:nightly" };
        const alpha = { version: "9.0.0-alpha", startedAt: now };
        const seen = healthy({ pods: { "basic-tikv-0": nightly }, stores: { "basic-tikv-0": alpha } });
        assert.equal(podOf(seen, "basic-tikv-0")?.version, "v9.0.0-alpha");
        assert.deepEqual(codesOf(statusOf(seen).remarks), ["versions-differ"]);
    });

    it("are the tag where the server says the same, in its own form", () => {
        const hotfix = { image: "pingcap/tikv:v8.5.2-20260101-abc" };
        const seen = healthy({ pods: { "basic-tikv-0": hotfix }, stores: { "basic-tikv-0": said } });
        assert.equal(podOf(seen, "basic-tikv-0")?.version, "v8.5.2-20260101-abc");
    });

    it("are not what an earlier process said: during an upgrade PD still has the version before", () => {
        const earlier = { version: "8.5.2", startedAt: now - 60_000 };
        assert.equal(podOf(healthy({ stores: { "basic-tikv-0": earlier } }), "basic-tikv-0")?.version, "v8.5.3");
        assert.equal(podOf(healthy(pdSaying("v8.5.2", { healthy: false })), "basic-pd-0")?.version, "v8.5.3");
    });
});
