import { counted } from "../../vocabulary/counted";
import type { ObservedPlacement, ObservedStore, RegionStatus } from "../../vocabulary/observation";
import { fewestVoters, isForTiflash } from "../placement";
import type { NotProven } from "./memberBatch";

/**
 * What PD's gauge `pd_regions_label_level` proves. PD looks at the stores of each region, and counts it at the first of its
 * `location-labels` in which they all differ, the coarser labels included (tikv/pd pkg/statistics/region_collection.go,
 * `GetRegionLabelIsolation`). So no region has two peers in one place of that label. That labels are set proves nothing: PD keeps to
 * them as far as it can.
 *
 * PD looks at a region when its checker's patrol comes to it, so what it counts is as old as one round. What contradicts the stores that
 * are there now is old in any case.
 */

/** The names that location labels give to zones: TiDB's, and Kubernetes' own. */
const zoneLabels = ["zone", "topology.kubernetes.io/zone"];

/** With fewer voters, a region loses its majority with any of them. */
const fewestVotersOfBatch = 3;

/**
 * Since 8.3 PD looks at 131,072 regions and more in 10 s; before, at 12,800 a second (tikv/pd pkg/schedule/checker/checker_controller.go,
 * `calculateScanLimit`). Of a longer round nothing is proven: the longer it takes, the more can have changed behind it.
 */
const longestPatrolSeconds = 60;

/** @returns the label that says which zone a store is in; undefined if PD has none. */
export function zoneLabelOf({ locationLabels = [] }: ObservedPlacement): string | undefined {
    return locationLabels.find((label) => zoneLabels.includes(label));
}

/**
 * @param upTo the label up to which places are told apart.
 * @returns the store's place: the values of the location labels down to that one. Undefined if a label is missing: PD itself then takes
 * a store for one that may be anywhere.
 */
export function placeOf(
    { labels }: ObservedStore,
    { locationLabels = [] }: ObservedPlacement,
    upTo: string,
): string | undefined {
    const path = locationLabels.slice(0, locationLabels.indexOf(upTo) + 1).map((label) => labels[label] ?? "");
    return path.length === 0 || path.includes("") ? undefined : JSON.stringify(path);
}

/** What is compared with PD's gauge. */
interface Compared {
    readonly placement: ObservedPlacement;
    /** How many regions PD knows. */
    readonly regionCount: number;
    /** Those of TiKV. */
    readonly stores: readonly ObservedStore[];
}

/**
 * @returns the finest of the labels that isolate regions: no region has two peers in one of its places. Only if PD says so of every
 * region.
 */
export function isolatingLabel(
    { isolation, patrolSeconds }: RegionStatus,
    compared: Compared,
): { readonly isolates: string } | NotProven {
    const { placement, regionCount } = compared;
    const other = whyNotByGauge(placement);
    if (other !== undefined) {
        return { why: other };
    }
    if (isolation === undefined) {
        return { why: "PD does not report pd_regions_label_level yet", mayPass: true };
    }
    const { locationLabels = [] } = placement;
    const levels = Object.entries(isolation).filter(([, count]) => count !== 0);
    const odd = levels.find(([label]) => !locationLabels.includes(label));
    if (odd) {
        const [label, count] = odd;
        const regions = counted(count, "region");
        const what = label === "none" ? "no location label" : `${label}, which is not a location label,`;
        return { why: `by pd_regions_label_level, ${what} tells the stores of ${regions} apart` };
    }
    const sum = levels.reduce((total, [, count]) => total + count, 0);
    if (sum !== regionCount || regionCount === 0) {
        const why = `pd_regions_label_level counts ${sum} of ${counted(regionCount, "region")}`;
        return { why, mayPass: true };
    }
    const finest = Math.max(...levels.map(([label]) => locationLabels.indexOf(label)));
    if (patrolSeconds === undefined) {
        return { why: "PD does not report pd_checker_patrol_regions_time yet", mayPass: true };
    }
    if (patrolSeconds > longestPatrolSeconds) {
        const [took, most] = [Math.ceil(patrolSeconds), longestPatrolSeconds];
        return {
            why: `pd_regions_label_level may be ${took} s old, and at most ${most} s are a proof (pd_checker_patrol_regions_time)`,
        };
    }
    const isolates = locationLabels[finest];
    return contradicted(isolates, compared) ?? { isolates };
}

/** @returns how the peers that the stores have now contradict the gauge; undefined if they do not. */
function contradicted(label: string, { placement, regionCount, stores }: Compared): NotProven | undefined {
    const peers = new Map<string, number>();
    for (const store of stores) {
        const place = placeOf(store, placement, label);
        if (place !== undefined) {
            peers.set(place, (peers.get(place) ?? 0) + store.regionCount);
        }
    }
    const voters = fewestVoters(placement);
    if (peers.size < voters) {
        const why = `the stores are in ${counted(peers.size, "place")} of the label ${label}, too few for ${voters} voters apart`;
        return { why: `pd_regions_label_level is old: ${why}` };
    }
    const crowded = [...peers].find(([, count]) => count > regionCount);
    if (crowded) {
        const [place, count] = crowded;
        const why = `${place} has ${counted(count, "peer")} of ${counted(regionCount, "region")}`;
        return { why: `pd_regions_label_level is old: ${why}`, mayPass: true };
    }
    return undefined;
}

/** The gauge tells of peers, and not how many voters a region has. Only PD's default rule says that of each region. */
function whyNotByGauge(placement: ObservedPlacement): string | undefined {
    const { rules = [] } = placement;
    const special = rules.find((rule) => !isDefault(rule) && !(isForTiflash(rule) && rule.role === "learner"));
    if (special) {
        return `the placement rule ${special.group}/${special.id} is not PD's default`;
    }
    const voters = fewestVoters(placement);
    return voters < fewestVotersOfBatch ? `PD keeps ${counted(voters, "voter")} of each region` : undefined;
}

function isDefault({
    group,
    id,
    role,
    constraints,
    startKey,
    endKey,
}: NonNullable<ObservedPlacement["rules"]>[number]) {
    const isForAll = startKey === "" && endKey === "";
    return group === "pd" && id === "default" && role === "voter" && constraints.length === 0 && isForAll;
}
