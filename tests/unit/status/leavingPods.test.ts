import * as assert from "node:assert/strict";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { healthy, now, type Seen, statusOf, storeOf } from "./seenCluster";

const tombstones = known([{ ...storeOf("tikv", "basic-tikv-2", 2), state: "Tombstone" as const }], "PD", now);
const troubleOf = (more: Partial<Seen>) => {
    const status = statusOf(healthy({ stores: { "basic-tikv-2": null }, pd: { tombstones }, ...more }));
    const [trouble] = status.members.flatMap(({ pods }) =>
        pods.filter(({ name }) => name === "basic-tikv-2").map((pod) => pod.trouble),
    );
    return trouble.known ? trouble.value : trouble;
};
const gone = "PD has removed its store 12 (Tombstone), and the pod is to go";

describe("a pod whose store PD has removed", () => {
    const scaledIn = { members: { pd: 3, tikv: 2, tidb: 2 }, statefulSets: { tikv: { replicas: 3 } } };
    const removals = { 12: { pod: "basic-tikv-2", begunAt: now } };
    for (const [title, more] of [
        ["is to go if the program does not want it any more", scaledIn],
        ["is to go if it stops", { pods: { "basic-tikv-2": { terminating: true } } }],
        ["is to go if the removal is on record", { observation: { records: { ...noRecords(), removals } } }],
    ] as [string, Partial<Seen>][]) {
        it(title, () => assert.equal(troubleOf(more), gone));
    }

    it("has not registered another one if it stays", () => {
        const stays = "has not registered a store since PD removed store 12 (Tombstone)";
        assert.equal(troubleOf({}), stays);
        const other = { ...noRecords(), removals: { 11: { pod: "basic-tikv-1", begunAt: now } } };
        assert.equal(troubleOf({ observation: { records: other } }), stays);
    });

    it("has not registered one if it never had one, also while it goes", () => {
        const none = { pd: { tombstones: known([], "PD", now) } };
        assert.equal(troubleOf({ ...scaledIn, ...none }), "has not registered a store");
    });
});
