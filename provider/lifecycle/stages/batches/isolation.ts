import { counted } from "../../vocabulary/counted";
import type { ObservedPlacement, ObservedStore, RegionStatus } from "../../vocabulary/observation";
import { fewestVoters, isForTiflash } from "../placement";
import type { NotProven } from "./memberBatch";

/**
 * What PD's gauge `pd_regions_label_level` proves. PD looks at the stores of each region, and counts it at the first of its
 * `location-labels` in which they all differ, the coarser labels included (tikv/pd pkg/statistics/region_collection.go,
 * `GetRegionLabelIsolation`). So no region has two peers in one place of that label. That labels are set proves nothing: PD keeps to
 * them as far as it can.
 */

/** The names that location labels give to zones: TiDB's, and Kubernetes' own. */
const zoneLabels = ["zone", "topology.kubernetes.io/zone"];

/** With fewer voters, a region loses its majority with any of them. */
const fewestVotersOfBatch = 3;

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

/**
 * @param regionCount how many regions PD knows.
 * @returns the finest of the labels that isolate regions: no region has two peers in one of its places. Only if PD says so of every
 * region.
 */
export function isolatingLabel(
    { isolation }: RegionStatus,
    placement: ObservedPlacement,
    regionCount: number,
): { readonly isolates: string } | NotProven {
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
    return { isolates: locationLabels[finest] };
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
