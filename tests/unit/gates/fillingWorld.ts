import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { GrownBy, GrowthPolicy } from "../../../provider/lifecycle/vocabulary/volumeGrowth";
import { claimOf, type Deviation, now } from "../../support/lifecycle/observations";
import { clusterWorld, type ClusterWorld } from "./clusterWorld";

export const growth: GrowthPolicy = { growAt: 80, by: 20, max: "2Ti" };
export const templatesOf = (storage: string) => [{ name: "tikv", storage, storageClass: "fast" }];

/** A cluster whose stores' disks are used, with a driver that enlarges at once. */
export interface FillingWorld extends ClusterWorld {
    /** What the claims request and have, by ordinal. */
    readonly sizes: string[];
}

const gibibytes = (count: number) => count * 1024 ** 3;

/** @param used how much of each store's 100 GiB is used, in percent. `lazy`: the driver enlarges nothing. */
export function fillingWorld({
    used,
    expands = true,
    pdSilent = false,
    lazy = false,
    ...also
}: {
    used: number[];
    expands?: boolean;
    pdSilent?: boolean;
    lazy?: boolean;
} & Partial<ClusterWorld>): FillingWorld {
    const sizes = used.map(() => "100Gi");
    const grown: Record<number, GrownBy> = {};
    let template = "100Gi";
    const tikv = (): Deviation => ({
        live: used.length,
        pdSilent,
        claimTemplates: templatesOf(template),
        stores: Object.fromEntries(
            used.map((percent, ordinal) => {
                const availableBytes = (gibibytes(100) * (100 - percent)) / 100;
                return [ordinal, { capacityBytes: gibibytes(100), availableBytes }];
            }),
        ),
        claims: sizes.map((size, ordinal) =>
            claimOf("tikv", ordinal, {
                state: {
                    ...{ phase: "Bound", hasSource: false, storageClass: "fast" },
                    ...{ requested: size, capacity: lazy ? "100Gi" : size },
                    ...(ordinal in grown ? { grown: grown[ordinal] } : {}),
                },
                expands: known(expands, "the API server", now),
            }),
        ),
    });
    const world = clusterWorld({ live: { tikv: tikv() }, ...also });
    world.changes = (action) => {
        if (action.do === "grow-claims") {
            const ordinal = Number(action.pod.at(-1));
            const [{ from, to, storeBytes }] = action.claims;
            sizes[ordinal] = to;
            if (storeBytes !== undefined) {
                grown[ordinal] = { at: new Date(world.time).toISOString(), from, to, storeBytes };
            }
        } else if (action.do === "remake-stateful-set") {
            template = action.becomes.fixed.claims[0].storage;
        }
        world.live.tikv = tikv();
    };
    return Object.assign(world, { sizes });
}
