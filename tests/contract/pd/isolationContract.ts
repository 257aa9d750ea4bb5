import * as assert from "node:assert/strict";
import type { PdRegionStatus } from "../../../provider/pd/model";

/** A PD with three members and `location-labels` of zone and host, and six stores, each on a host of its own. */
export interface IsolationSubject {
    /** What PD's leader says of its regions; undefined if it does not say. */
    readonly status: () => Promise<PdRegionStatus | undefined>;
    readonly regionCount: () => Promise<number>;
    /** Hands the leadership to another member, and waits until that one leads. @param to its number */
    readonly lead: (to: number) => Promise<void>;
    readonly wait: (seconds: number) => Promise<void>;
    readonly close: () => Promise<void>;
}

/** Whether each region has its peers in three zones, or some have two of them in one. */
export type Placement = "isolated" | "crowded";

/** PD counts within 10 s of an election, and within a minute if it has just started. */
const longestSeconds = 90;

/** What `pd_regions_label_level` says of a PD, and when. */
export function isolationContract(name: string, begin: (placement: Placement) => Promise<IsolationSubject>): void {
    describe(`how PD says that regions are isolated: ${name}`, function () {
        this.timeout(300_000);
        let pd: IsolationSubject;
        afterEach(() => pd?.close());

        const counted = async () => {
            for (let waited = 0; waited < longestSeconds; waited++) {
                const status = await pd.status();
                if (status?.isolation && sumOf(status) === (await pd.regionCount())) {
                    return status.isolation;
                }
                await pd.wait(1);
            }
            return assert.fail(`no level of all regions within ${longestSeconds} s`);
        };

        it("each region is counted at the zone if its peers are in three of them", async () => {
            pd = await begin("isolated");
            assert.deepEqual(nonZero(await counted()), ["zone"]);
        });

        it("says how long it took to look at all regions, once it counts all of them", async () => {
            pd = await begin("isolated");
            await counted();
            const { patrolSeconds = 0 } = (await pd.status()) ?? {};
            // 600 regions, 128 every 10 ms.
            assert.ok(patrolSeconds >= 0.04 && patrolSeconds < 5, `${patrolSeconds} s`);
        });

        it("a region with two peers in one zone is counted at the host", async () => {
            pd = await begin("crowded");
            assert.ok(nonZero(await counted()).includes("host"));
        });

        it("a leader that is new, or is back, says nothing at first, and never a part of it", async () => {
            pd = await begin("isolated");
            await counted();
            for (const member of [1, 0]) {
                await pd.lead(member);
                assert.equal((await pd.status())?.isolation, undefined, `member ${member} has just been elected`);
                for (let waited = 0; waited < 30; waited++) {
                    const status = await pd.status();
                    const sum = status?.isolation && sumOf(status);
                    assert.ok(sum === undefined || sum === (await pd.regionCount()), `${sum} after ${waited} s`);
                    await pd.wait(1);
                }
                await counted();
            }
        });
    });
}

const sumOf = ({ isolation = {} }: PdRegionStatus): number =>
    Object.values(isolation).reduce((sum, count) => sum + count, 0);

const nonZero = (isolation: Readonly<Record<string, number>>): string[] =>
    Object.keys(isolation).filter((level) => isolation[level] !== 0);
