import { shortTimeouts } from "../tests/support/simulation/clusters";
import type { Goal } from "../tests/support/simulation/program";
import { type Roll, rollOf } from "../tests/support/simulation/rolls";
import type { Figure } from "./figure";

/** The targets of the project: the time with the eviction window, of a roll by zone, and of 30 stores by zone. */
const targets = { window: 0.3, byZone: 1.2, thirty: 0.15 };

const patient = { ...shortTimeouts, evictLeaderTimeoutSeconds: 36_000, leadersBackTimeoutSeconds: 36_000 };
/** In `busy` clusters leaders take most of a restart's time, as in clusters of users. */
const busy = { zones: 3, regions: 3_000, weight: 3 };

/**
 * Times upgrades of TiKV in the model of the tests, which has a clock of its own: what is compared is how the gates decide, with PD's
 * own rates and no machine's.
 */
export async function rollTime(quick: boolean, log: (line: string) => void): Promise<Figure[]> {
    const roll = (tikv: number, policy: Goal["policy"]): Promise<Roll> => {
        log(`the model upgrades ${tikv} stores`);
        const goal: Goal = { pd: 1, tikv, revision: "r1", policy: { ...patient, ...policy } };
        return rollOf(goal, busy);
    };
    const three = await roll(3, {});
    const without = await roll(3, { evictionWindow: false });
    const zones = quick ? [2] : [2, 10];
    const figures = [
        ratio("leaders leave and return, with the window / without", three.moving, without.moving, targets.window),
    ];
    for (const stores of zones) {
        const byZone = await roll(3 * stores, { parallelism: "zone" });
        const name = `3 zones of ${stores} stores, by zone / three restarts with the same regions`;
        figures.push(ratio(name, byZone.whole, three.whole, targets.byZone));
        if (stores === 10) {
            const serial = await roll(30, { evictionWindow: false });
            const all = "30 stores, by zone with the window / one by one with PD's limits";
            figures.push(ratio(all, byZone.whole, serial.whole, targets.thirty));
        }
    }
    return figures;
}

function ratio(name: string, measured: number, other: number, target: number): Figure {
    const detail = `${measured.toFixed(0)} s and ${other.toFixed(0)} s of the model's time`;
    return { name, measured: measured / other, unit: "ratio", target, detail };
}
