import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { chooseSpread } from "../../provider/lifecycle/spread/chooseSpread";
import type { Room } from "../../provider/lifecycle/vocabulary/drain";
import { known } from "../../provider/lifecycle/vocabulary/evidence";
import { noSpread, spreadOf } from "../../provider/lifecycle/vocabulary/spread";
import { now, observed } from "../support/lifecycle/observations";

const names = ["a", "b", "c", "d"] as const;
type Name = (typeof names)[number];

/** A member's pods, which restart one by one from the highest ordinal down. */
interface Story {
    /** The pods by ordinal: their nodes, whether their volumes are there, and which of the nodes that fit the scheduler takes. */
    pods: { node: Name; isTied: boolean; choice: number }[];
    /**
     * Whether a node takes new pods: it has room for one more, or only for as many as are there, or it is closed and lets those come
     * back that leave it.
     */
    nodes: Record<Name, "open" | "full" | "closed">;
}

const kind = fc.constantFrom("open" as const, "open" as const, "full" as const, "closed" as const);
const stories: fc.Arbitrary<Story> = fc.record({
    pods: fc.array(
        fc.record({
            node: fc.constantFrom(...names, "a" as const, "a" as const),
            isTied: fc.integer({ max: 7, min: 0 }).map((one) => one === 0),
            choice: fc.nat(),
        }),
        { minLength: 3, maxLength: 9 },
    ),
    nodes: fc.record({ a: kind, b: kind, c: kind, d: kind }),
});

describe("pods that crowd on a node", () => {
    it("all find a node, whichever the scheduler takes, and then no node has more than it may, if the constraints come", () => {
        let [moved, stayed] = [0, 0];
        fc.assert(
            fc.property(stories, ({ pods, nodes }) => {
                const most = Math.floor((pods.length - 1) / 2);
                const at: (Name | undefined)[] = pods.map(({ node }) => node);
                const countOn = (name: Name) => at.filter((node) => node === name).length;
                const atFirst = Object.fromEntries(names.map((name) => [name, countOn(name)]));
                const hasPlace = (name: Name) =>
                    nodes[name] !== "closed" && countOn(name) < atFirst[name] + (nodes[name] === "open" ? 1 : 0);
                const roomOf = ({ node, isTied }: Story["pods"][number]): Room => {
                    const takers = names.filter((name) => name !== node && hasPlace(name));
                    return isTied
                        ? { is: "bound", volume: "data" }
                        : takers.length > 0
                          ? { is: "somewhere", nodes: takers }
                          : { is: "nowhere", why: "full" };
                };
                const row = pods.map((pod, ordinal) => [
                    ordinal,
                    { node: pod.node, room: known(roomOf(pod), "the API server", now) },
                ]);
                const { pd } = observed("pd", { replicas: pods.length, pods: Object.fromEntries(row) }).observation
                    .members;
                assert.ok(pd?.statefulSet);
                const member = { ...pd, statefulSet: { ...pd.statefulSet, templateRevision: "old" } };
                const spread = spreadOf([{ maxSkew: most, topologyKey: "host", whenUnsatisfiable: "DoNotSchedule" }]);
                const wanted = { spread, templateRevision: "new", when: "with-changes" } as const;
                const isCrowded = names.some((name) => countOn(name) > most);
                if (chooseSpread(wanted, member, noSpread, true).spread.revision === "") {
                    stayed++;
                    return;
                }
                moved += isCrowded ? 1 : 0;
                for (let ordinal = pods.length - 1; ordinal >= 0; ordinal--) {
                    const { node, isTied, choice } = pods[ordinal];
                    at[ordinal] = undefined;
                    const fit = names.filter(
                        (name) => (name === node || (!isTied && hasPlace(name))) && countOn(name) < most,
                    );
                    assert.ok(fit.length > 0, `pod ${ordinal} finds no node: ${at.join()}`);
                    at[ordinal] = fit[choice % fit.length];
                }
                assert.ok(
                    names.every((name) => countOn(name) <= most),
                    at.join(),
                );
            }),
            { numRuns: 2_000 },
        );
        assert.ok(moved > 50 && stayed > 200, `${moved} moved, ${stayed} stayed`);
    });
});
