import { hasMajorityOf } from "../stages/regionVoters";
import { counted } from "../vocabulary/counted";
import type { ObservedRegion } from "../vocabulary/observation";
import { contentOf, joined, tablesInWords } from "./keyRanges";

/** What the loss of stores does to the regions that have a replica on them. */
export interface Stake {
    /** How many keep their majority: they lose nothing. */
    readonly kept: number;
    /** Regions without a majority that have a replica left on a TiKV store. It may lack the last writes. Ascending by id. */
    readonly lost: readonly ObservedRegion[];
    /** Regions without a majority of which no TiKV store that is left has a replica: they come back empty. Ascending by id. */
    readonly gone: readonly ObservedRegion[];
}

/** How many regions, and ranges of tables, are named. */
const mostNamed = 10;

/**
 * @param failed the stores that are lost.
 * @param withoutLog stores whose replicas cannot bring a region back: those of TiFlash.
 */
export function stakeOf(
    regions: readonly ObservedRegion[],
    failed: ReadonlySet<number>,
    withoutLog: ReadonlySet<number>,
): Stake {
    const hit = regions.filter(({ peers }) => peers.some(({ storeId }) => failed.has(storeId)));
    const without = hit
        .filter((region) => !hasMajorityOf(region, ({ storeId }) => !failed.has(storeId)))
        .sort((one, other) => one.id - other.id);
    const isGone = ({ peers }: ObservedRegion) =>
        peers.every(({ storeId }) => failed.has(storeId) || withoutLog.has(storeId));
    return {
        kept: hit.length - without.length,
        lost: without.filter((region) => !isGone(region)),
        gone: without.filter(isGone),
    };
}

/** @returns whether a region has lost its majority. */
export function isAtStake({ lost, gone }: Stake): boolean {
    return lost.length + gone.length > 0;
}

/** @returns the stores that have replicas of regions without a majority. */
export function storesOfStake({ lost, gone }: Stake): Set<number> {
    return new Set([...lost, ...gone].flatMap(({ peers }) => peers.map(({ storeId }) => storeId)));
}

/** @returns what is lost, in words. They do not change while nothing more is lost: a person consents to them. */
export function stakeInWords({ lost, gone }: Stake): string {
    const regions = [...lost, ...gone].sort((one, other) => one.id - other.id);
    return [
        `${counted(regions.length, "region")} ${regions.length === 1 ? "has" : "have"} lost the majority`,
        ...(lost.length === 0 ? [] : [`${lost.length} with a replica left, which may lack the last writes`]),
        ...(gone.length === 0 ? [] : [`${gone.length} with none left: all their data is lost, they come back empty`]),
        `ids ${firstOf(regions.map(({ id }) => String(id)))}`,
        sizeInWords(regions),
        ...dataInWords(regions),
    ].join("; ");
}

function sizeInWords(regions: readonly ObservedRegion[]): string {
    const unknown = regions.filter(({ mebibytes }) => mebibytes === undefined).length;
    const sum = regions.reduce((size, { mebibytes = 0 }) => size + mebibytes, 0);
    const about = `about ${sum} MiB as last reported`;
    return unknown === 0 ? about : `${about}, without ${counted(unknown, "region")} of unknown size`;
}

function dataInWords(regions: readonly ObservedRegion[]): string[] {
    const contents = regions.flatMap(({ keys }) => (keys ? [contentOf(keys.start, keys.end)] : []));
    const tables = joined(contents.flatMap((content) => content.tables ?? []));
    const unknown = regions.length - contents.length;
    const others = contents.filter(({ metadata, tables: none }) => !metadata && none === undefined).length;
    return [
        ...(tables.length === 0 ? [] : [`table ids ${firstOf(tables.map(tablesInWords))}`]),
        ...(contents.some(({ metadata }) => metadata) ? ["TiDB's metadata"] : []),
        ...(others === 0 ? [] : [`${counted(others, "region")} with keys of no table`]),
        ...(unknown === 0
            ? []
            : [`what ${counted(unknown, "region")} of them ${unknown === 1 ? "holds" : "hold"} is not known`]),
    ];
}

function firstOf(words: readonly string[]): string {
    const more = words.length - mostNamed;
    return more <= 0 ? words.join(", ") : `${words.slice(0, mostNamed).join(", ")} and ${more} more`;
}
