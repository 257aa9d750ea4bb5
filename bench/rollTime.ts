import { shortTimeouts } from "../tests/support/simulation/clusters";
import type { Goal } from "../tests/support/simulation/program";
import { type Roll, rollOf, scaleInOf } from "../tests/support/simulation/rolls";
import type { Figure } from "./figure";

/** The targets of the project: the time with the eviction window, of a roll by zone, of 30 stores by zone, one by one, and of a scale-in. */
const targets = { window: 0.3, byZone: 1.2, thirty: 0.15, serial: 1.1, scaleIn: 1.2 };

const patient = {
    ...shortTimeouts,
    evictLeaderTimeoutSeconds: 36_000,
    leadersBackTimeoutSeconds: 36_000,
    storeRemovalTimeoutSeconds: 36_000,
};
/** In `busy` clusters leaders take most of a restart's time, as in clusters of users. */
const busy = { zones: 3, regions: 3_000, weight: 3 };

/**
 * Times upgrades and a scale-in of TiKV in the model of the tests, which has a clock of its own: what is compared is how the gates decide, with PD's
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
    log("the model scales 4 stores in to 3");
    const scaleIn = await scaleInOf({ pd: 1, tikv: 4, revision: "r1", policy: patient }, { regions: 600, weight: 3 });
    const serial = "3 stores one by one / until leaders have left, stores are Up and leaders are back";
    const figures = [
        ratio("leaders leave and return, with the window / without", three.moving, without.moving, targets.window),
        ratio(`${serial}, with PD's limits`, without.whole, without.physical, targets.serial),
        ratio(`${serial}, with the window`, three.whole, three.physical, targets.serial),
        ratio("scale-in of a store / until it is Tombstone", scaleIn.whole, scaleIn.drain, targets.scaleIn),
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
