import * as assert from "node:assert/strict";
import { isAtStake, type Stake, stakeInWords, stakeOf } from "../../../../provider/lifecycle/unsafeRecovery/stake";
import type { ObservedPeer, ObservedRegion } from "../../../../provider/lifecycle/vocabulary/observation";
import { region } from "../../../support/lifecycle/failedStores";

const failed = new Set([11, 12]);
const none = new Set<number>();
const peer = (storeId: number, role: ObservedPeer["role"], isBehind = false): ObservedPeer => ({
    storeId,
    role,
    isBehind,
});
const stakes = (regions: ObservedRegion[], tiflash = none): Stake => stakeOf(regions, failed, tiflash);
const ids = ({ lost, gone, kept }: Stake) => ({ kept, lost: lost.map(({ id }) => id), gone: gone.map(({ id }) => id) });

describe("what the loss of stores puts at stake", () => {
    const rows: [string, ObservedRegion, "kept" | "lost" | "gone" | "nothing"][] = [
        ["one of three voters: nothing", region(1, [10, 11, 13]), "kept"],
        ["two of three voters: the majority", region(1, [10, 11, 12]), "lost"],
        ["one of two voters: the majority", region(1, [10, 11]), "lost"],
        ["two of four voters: the majority", region(1, [10, 11, 12, 13]), "lost"],
        ["two of five voters: nothing", region(1, [10, 11, 12, 13, 14]), "kept"],
        ["all voters: the data", region(1, [11, 12]), "gone"],
        ["a region without a replica there: nothing at all", region(1, [10, 13, 14]), "nothing"],
        ["a learner: nothing", { id: 1, peers: [...region(1, [10, 13, 14]).peers, peer(11, "learner")] }, "kept"],
        [
            "all voters, with a learner on a TiKV store that is left: what it lacks",
            { id: 1, peers: [...region(1, [11, 12]).peers, peer(13, "learner")] },
            "lost",
        ],
        [
            "all voters, with a learner on TiFlash, which cannot bring a region back: the data",
            { id: 1, peers: [...region(1, [11, 12]).peers, peer(20, "learner")] },
            "gone",
        ],
        [
            "the new configuration's majority while the peers change",
            {
                id: 1,
                peers: [
                    peer(10, "voter"),
                    peer(13, "demoting"),
                    peer(14, "demoting"),
                    peer(11, "incoming"),
                    peer(12, "incoming"),
                ],
            },
            "lost",
        ],
        [
            "the old configuration's majority while the peers change",
            {
                id: 1,
                peers: [
                    peer(10, "voter"),
                    peer(11, "demoting"),
                    peer(12, "demoting"),
                    peer(13, "incoming"),
                    peer(14, "incoming"),
                ],
            },
            "lost",
        ],
        [
            "one of three voters, of which another lags: nothing, because it lives",
            { id: 1, peers: [peer(10, "voter"), peer(11, "voter"), peer(13, "voter", true)] },
            "kept",
        ],
    ];
    for (const [title, one, expected] of rows) {
        it(title, () => {
            const { kept, lost, gone } = ids(stakes([one], new Set([20])));
            assert.deepEqual(
                [kept, lost.length, gone.length],
                { kept: [1, 0, 0], lost: [0, 1, 0], gone: [0, 0, 1], nothing: [0, 0, 0] }[expected],
            );
        });
    }

    it("is nothing as long as every region keeps its majority", () => {
        assert.equal(isAtStake(stakes([region(1, [10, 11, 13])])), false);
        assert.equal(isAtStake(stakes([region(1, [11, 12])])), true);
    });
});

describe("the words for what is at stake", () => {
    const key = (table: number, row?: number) =>
        `7480000000000000FF${table.toString(16).padStart(2, "0")}${row === undefined ? "00000000000000F8" : "5F728000000000FF0000010000000000FA"}`;
    const keys = (start: string, end: string) => ({ keys: { start, end }, mebibytes: 96 });

    it("name the regions, what is left of them, their size and their tables", () => {
        const words = stakeInWords(
            stakes([
                region(3, [10, 11, 13], keys(key(90), key(91))),
                region(7, [11, 12], keys(key(66), key(67))),
                region(5, [10, 11, 12], keys(key(64, 1), key(65))),
                region(6, [10, 11, 12], keys(key(65), key(66))),
            ]),
        );
        assert.equal(
            words,
            "3 regions have lost the majority; 2 with a replica left, which may lack the last writes; " +
                "1 with none left: all their data is lost, they come back empty; ids 5, 6, 7; about 288 MiB as last reported; table ids 64 to 66",
        );
    });
    it("name the first ten of many, and count the rest", () => {
        const many = Array.from({ length: 13 }, (_, at) =>
            region(at + 1, [11, 12], keys(key(2 * at), key(2 * at + 1))),
        );
        const words = stakeInWords(stakes(many));
        assert.match(words, /^13 regions .*; ids 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more;/);
        assert.match(words, /table ids .*, 18 and 3 more$/);
    });
    it("say what PD does not tell", () => {
        const words = stakeInWords(stakes([region(1, [11, 12]), region(2, [11, 12], keys(key(64), key(65)))]));
        assert.match(
            words,
            /about 96 MiB as last reported, without 1 region of unknown size; table ids 64; what 1 region of them holds is not known$/,
        );
    });
    it("name TiDB's metadata, and keys of no table", () => {
        const words = (start: string, end: string) => stakeInWords(stakes([region(1, [11, 12], keys(start, end))]));
        assert.match(words("", "7200000000000000FB"), /; TiDB's metadata$/);
        assert.match(words("", key(2)), /; table ids up to 1; TiDB's metadata$/);
        assert.match(words("7200000000000000FB", "7300000000000000FB"), /; 1 region with keys of no table$/);
        assert.match(words(key(70), ""), /; table ids from 70 on$/);
        assert.match(words("", ""), /; table ids of any id; TiDB's metadata$/);
    });
});
