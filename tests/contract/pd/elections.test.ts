import * as assert from "node:assert/strict";
import { conditions, electionContract, type ReportIntervals } from "./electionContract";
import { readElections, readElectionsWithMoves } from "./recordedElections";

const intervals: ReportIntervals = { regionHeartbeatMilliseconds: 60_000, storeHeartbeatMilliseconds: 10_000 };
const elections = [...readElections(), ...readElectionsWithMoves()];

for (const election of elections) {
    const stores = election.reconnect === "resends" ? "stores report all at once" : "stores report in turn";
    const moved = election.moved ? ", leaders move meanwhile" : "";
    electionContract(
        `recorded from a real PD 8.5.4: ${election.election}, ${stores}${moved}`,
        intervals,
        () => election,
    );
}

describe("PD after an election: why its counts are not trusted sooner", () => {
    it("each kind of election is recorded, with stores of each kind and leaders that moved in between", () => {
        const kinds = elections.map(({ election, reconnect, moved = 0 }) => `${election}, ${reconnect}, ${moved}`);
        assert.equal(new Set(kinds).size, 8);
    });

    it("without the age, a store that leads would count as empty, even if all else is in order", () => {
        assert.ok(falseZeros(([name]) => !name.includes("held")).length > 0);
    });

    for (const [name, holds] of Object.entries(conditions)) {
        it(`alone, this is not enough: ${name}`, function () {
            if (name.includes("held")) {
                this.test!.title += " (it was, in all that is recorded)";
                return;
            }
            assert.ok(falseZeros(([other]) => other === name).length > 0, String(holds));
        });
    }

    it("regions that lack a working peer would be overlooked too", () => {
        const others = Object.entries(conditions).filter(([name]) => !name.includes("held"));
        const overlooked = elections.flatMap(({ samples, pending }) =>
            samples.filter(
                ({ seen }) =>
                    seen &&
                    others.every(([, holds]) => holds(seen, intervals)) &&
                    (seen.pendingInCheck < pending || (seen.pendingInGauge ?? 0) < pending),
            ),
        );
        assert.ok(overlooked.length > 0);
    });
});

/** What would be believed of PD by these conditions, though a store is said to lead nothing that does. */
function falseZeros(chosen: (condition: [name: string, holds: unknown]) => boolean) {
    const asked = Object.entries(conditions).filter(chosen);
    return elections.flatMap(({ samples }) =>
        samples.filter(
            ({ seen, truth }) =>
                seen &&
                asked.every(([, holds]) => holds(seen, intervals)) &&
                Object.entries(truth).some(([store, leaders]) => leaders > 0 && seen.leaders[Number(store)] === 0),
        ),
    );
}
