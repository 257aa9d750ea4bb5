import * as assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { operationsProblems } from "../../components/operationsRules";

describe("`operations`", () => {
    const messages = (operations: unknown): string =>
        operationsProblems(operations)
            .map(({ message }) => message)
            .join("\n");

    for (const good of [
        undefined,
        {},
        { timeouts: undefined },
        { timeouts: {} },
        { timeouts: { podReadySeconds: 1 } },
        { approval: undefined },
        { approval: "step" },
        { approval: "member" },
        { placement: "off" },
        { rollout: {} },
        { disruptionBudgets: "gates", drain: "move" },
        { volumes: { max: "2Ti" } },
        { volumes: { growAt: "99%", by: "100%", max: "500G" } },
        { disruptionBudgets: "off", drain: "off" },
        { rollout: { online: true } },
        { rollout: { evictionWindow: false } },
        { rollout: { evictionWindow: {} } },
        { rollout: { parallelism: 1 }, approval: "step" },
        { rollout: { parallelism: 1000 } },
        { rollout: { parallelism: "zone" }, approval: "member" },
        { rollout: { maxUnavailable: 1 }, approval: "step" },
        { rollout: { maxUnavailable: 1000 } },
        { rollout: { maxUnavailable: "1%" }, approval: "member" },
        { rollout: { maxUnavailable: "99%" } },
        { rollout: { evictionWindow: { leaderScheduleLimit: 1024, batch: 1 } } },
        { backup: {} },
        { backup: { duringBackup: "continue", waitTimeoutSeconds: 1 } },
        { unsafeRecovery: undefined },
        { lostNodes: undefined },
        { lostNodes: [] },
        { lostNodes: ["node-3", "ip-10-0-0-1.ec2.internal"] },
        { unsafeRecovery: { failedStores: [4], neverComeBack: true } },
        { unsafeRecovery: { failedStores: [5, 4], neverComeBack: true, timeoutSeconds: 60 } },
    ]) {
        it(`can be ${JSON.stringify(good)}`, () => {
            assert.equal(messages(good), "");
        });
    }

    for (const [bad, message] of [
        [[], "operations: found an empty list, expected a map"],
        [
            { allowDowngrade: "true" },
            'operations.allowDowngrade: found the text "true", expected true or false; remove the quotes',
        ],
        [{ allowDowngrade: 1 }, "operations.allowDowngrade: found 1, expected true or false"],
        [{ approval: "steps" }, 'operations.approval: found the text "steps", expected "step" or "member"'],
        [{ approval: true }, 'operations.approval: found true, expected "step" or "member"'],
        [{ approval: null }, 'operations.approval: found nothing, expected "step" or "member"'],
        [{ sqlEndpoint: "tikv" }, 'operations.sqlEndpoint: found the text "tikv", expected "tiproxy" or "tidb"'],
        [{ placement: false }, 'operations.placement: found false, expected "with-changes" or "now" or "off"'],
        [{ rollout: true }, "operations.rollout: found true, expected a map"],
        [{ rollout: { online: 1 } }, "operations.rollout.online: found 1, expected true or false"],
        [{ rollout: { onlin: true } }, "operations.rollout.onlin is not a known field; did you mean online?"],
        ...[0, -1, 1.5, 1001, "zones", true].map((parallelism): [object, string] => [
            { rollout: { parallelism } },
            `operations.rollout.parallelism: found ${typeof parallelism === "string" ? `the text "${parallelism}"` : String(parallelism)}, expected "zone" or a whole number from 1 to 1000`,
        ]),
        [
            { rollout: { parallelism: "3" } },
            'operations.rollout.parallelism: found the text "3", expected "zone" or a whole number from 1 to 1000; remove the quotes',
        ],
        [
            { rollout: { parallelism: "zone" }, approval: "step" },
            'operations.rollout.parallelism: found the text "zone", expected 1 where operations.approval is "step", because one consent lets one restart through',
        ],
        ...[0, 1.5, 1001, "0%", "100%", "25", "2.5%", "zone", true].map((maxUnavailable): [object, string] => [
            { rollout: { maxUnavailable } },
            `operations.rollout.maxUnavailable: found ${typeof maxUnavailable === "string" ? `the text "${maxUnavailable}"` : String(maxUnavailable)}, expected a whole number from 1 to 1000, or a text from "1%" to "99%"${maxUnavailable === "25" ? "; remove the quotes" : ""}`,
        ]),
        [
            { rollout: { parallelism: 1, maxUnavailable: "25%" }, approval: "step" },
            'operations.rollout.maxUnavailable: found the text "25%", expected 1 where operations.approval is "step", because one consent lets one restart through',
        ],
        [
            { rollout: { evictionWindow: true } },
            "operations.rollout.evictionWindow: found true, expected false or a map; leave it out: it is on by default",
        ],
        [
            { rollout: { evictionWindow: "off" } },
            'operations.rollout.evictionWindow: found the text "off", expected false or a map',
        ],
        [
            { rollout: { evictionWindow: { limit: 8 } } },
            "operations.rollout.evictionWindow.limit is not a known field; expected leaderScheduleLimit, batch",
        ],
        ...[0, 1.5, 11].map((batch): [unknown, string] => [
            { rollout: { evictionWindow: { batch } } },
            `operations.rollout.evictionWindow.batch: found ${batch}, expected a whole number from 1 to 10`,
        ]),
        [
            { rollout: { evictionWindow: { leaderScheduleLimit: "64" } } },
            'operations.rollout.evictionWindow.leaderScheduleLimit: found the text "64", expected a whole number from 1 to 1024; remove the quotes',
        ],
        [
            { disruptionBudgets: "gates", drain: "off" },
            'operations.disruptionBudgets: found "gates", expected "off" where operations.drain is "off", because then nothing moves the pods that these budgets keep',
        ],
        ...["0%", "100%", "80", 80, true].map((growAt): [object, string] => [
            { volumes: { max: "2Ti", growAt } },
            `operations.volumes.growAt: found ${typeof growAt === "string" ? `the text "${growAt}"` : growAt}, expected a text from "1%" to "99%"`,
        ]),
        [
            { volumes: { max: "2Ti", by: "101%" } },
            'operations.volumes.by: found the text "101%", expected a text from "1%" to "100%"',
        ],
        ...(
            [
                [undefined, "nothing"],
                [100, "100"],
                ["much", 'the text "much"'],
                ["-1Gi", 'the text "-1Gi"'],
            ] as const
        ).map(([max, found]): [object, string] => [
            { volumes: { max } },
            `operations.volumes.max: found ${found}, expected the largest size of a volume, such as 2Ti`,
        ]),
        [{ volumes: { max: "0" } }, 'operations.volumes.max: found "0", expected a size above 0'],
        [
            { volumes: { max: "100" } },
            'operations.volumes.max: found "100", which means 100 bytes, expected a size with a unit, such as 100Gi',
        ],
        [{ volumes: "2Ti" }, 'operations.volumes: found the text "2Ti", expected a map'],
        [{ drain: true }, 'operations.drain: found true, expected "move" or "off"'],
        [{ timeouts: 600 }, "operations.timeouts: found 600, expected a map"],
        [{ timeout: {} }, "operations.timeout is not a known field; did you mean timeouts?"],
        [
            { timeouts: { podReadyTimeout: 5 } },
            "operations.timeouts.podReadyTimeout is not a known field; expected podReadySeconds, evictLeaderSeconds, storeRemovalSeconds",
        ],
        ...(
            [
                [undefined, "nothing"],
                [[], "an empty list"],
                [[4, 4], "[4, 4]"],
                [["4"], '[the text "4"]'],
                [[0], "[0]"],
                [4, "4"],
            ] as const
        ).map(([failedStores, found]): [unknown, string] => [
            { unsafeRecovery: { failedStores, neverComeBack: true } },
            `operations.unsafeRecovery.failedStores: found ${found}, expected a list of different ids of stores, as PD lists them, such as [4, 5]`,
        ]),
        ...(
            [
                ["node-3", 'the text "node-3"'],
                [["Node 3"], '[the text "Node 3"]'],
                [["a", "a"], '[the text "a", the text "a"]'],
                [[3], "[3]"],
                [null, "nothing"],
            ] as const
        ).map(([lostNodes, found]): [unknown, string] => [
            { lostNodes },
            `operations.lostNodes: found ${found}, expected a list of different names of nodes, such as ["node-3"]`,
        ]),
        [
            { backup: { duringBackup: "abort" } },
            'operations.backup.duringBackup: found the text "abort", expected "wait" or "continue"',
        ],
        [
            { backup: { waitTimeoutSeconds: 0 } },
            "operations.backup.waitTimeoutSeconds: found 0, expected a whole number of seconds from 1 to 31536000 (a year)",
        ],
        [{ unsafeRecovery: [4] }, "operations.unsafeRecovery: found a list of 1 item, expected a map"],
        [
            { unsafeRecovery: { failedStores: [4], neverComeBack: "true" } },
            'operations.unsafeRecovery.neverComeBack: found the text "true", expected true; remove the quotes',
        ],
        ...([undefined, false] as const).map((neverComeBack): [unknown, string] => [
            { unsafeRecovery: { failedStores: [4], neverComeBack } },
            `operations.unsafeRecovery.neverComeBack: found ${neverComeBack === undefined ? "nothing" : "false"}, expected true; name only stores whose volumes never come back either`,
        ]),
        [
            { unsafeRecovery: { failedStores: [4], neverComeBack: true, stores: [4] } },
            "operations.unsafeRecovery.stores is not a known field; expected failedStores, neverComeBack, timeoutSeconds",
        ],
        ...[0, -1, 1.5, NaN, Infinity, 31_536_001].map((number): [unknown, string] => [
            { timeouts: { evictLeaderSeconds: number } },
            `operations.timeouts.evictLeaderSeconds: found ${number}, expected a whole number of seconds from 1 to 31536000 (a year)`,
        ]),
        [
            { timeouts: { storeRemovalSeconds: "600" } },
            'operations.timeouts.storeRemovalSeconds: found the text "600", expected a whole number of seconds from 1 to 31536000 (a year); remove the quotes',
        ],
    ] as [unknown, string][]) {
        it(`cannot be ${JSON.stringify(bad)}`, () => {
            assert.equal(messages(bad), message);
        });
    }

    it("cannot contain an Output, which the error names", () => {
        const podReadySeconds = pulumi.output(600);
        assert.ok(messages({ timeouts: { podReadySeconds } }).includes("podReadySeconds: found an Output"));
    });

    it("end in an error with every field that cannot be used", () => {
        const wrong = { timeouts: { podReadySeconds: 0, evictLeaderSeconds: 0 } };
        assert.deepEqual(
            operationsProblems(wrong).map(({ field }) => field),
            ["operations.timeouts.podReadySeconds", "operations.timeouts.evictLeaderSeconds"],
        );
    });
});
