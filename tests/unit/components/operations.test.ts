import * as assert from "node:assert/strict";
import { checkOperations } from "../../../components/operations";

describe("`operations`", () => {
    const messages = (operations: unknown): string => {
        try {
            checkOperations(operations, "basic");
            return "";
        } catch (error) {
            return (error as Error).message;
        }
    };

    for (const good of [
        undefined,
        {},
        { timeouts: undefined },
        { timeouts: {} },
        { timeouts: { podReadySeconds: 1 } },
    ]) {
        it(`may be ${JSON.stringify(good)}`, () => {
            assert.equal(messages(good), "");
        });
    }

    for (const [bad, message] of [
        [[], "operations: found a list of 0, expected a map of fields"],
        [{ timeouts: 600 }, "operations.timeouts: found 600, expected a map of fields"],
        [
            { timeout: {} },
            "operations.timeout: found a field that does not exist, expected timeouts; did you mean timeouts?",
        ],
        [
            { timeouts: { podReadyTimeout: 5 } },
            "operations.timeouts.podReadyTimeout: found a field that does not exist, expected podReadySeconds or evictLeaderSeconds or storeRemovalSeconds",
        ],
        ...[0, -1, 1.5, NaN, Infinity].map((number): [unknown, string] => [
            { timeouts: { evictLeaderSeconds: number } },
            `operations.timeouts.evictLeaderSeconds: found ${number}, expected a whole number of seconds, 1 or more`,
        ]),
        [
            { timeouts: { storeRemovalSeconds: "600" } },
            'operations.timeouts.storeRemovalSeconds: found "600", expected a whole number of seconds, 1 or more',
        ],
    ] as [unknown, string][]) {
        it(`refuses ${JSON.stringify(bad)}`, () => {
            assert.equal(messages(bad), `basic: 1 error\n  - ${message}`);
        });
    }

    it("names every field that cannot be used", () => {
        assert.match(messages({ timeouts: { podReadySeconds: 0, evictLeaderSeconds: 0 } }), /^basic: 2 errors\n/);
    });
});
