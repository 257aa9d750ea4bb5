import * as pulumi from "@pulumi/pulumi";
import { type BackupPlace, halfDump, type PlaceClash, samePlace } from "../br/samePlace";

/** Each run of a program has a connection of its own to the engine, also where one process runs several programs. */
const programs = new WeakMap<object, Claim[]>();
/** Where earlier attempts of dumps have written. */
const earlierDumps = new WeakMap<object, BackupPlace[]>();

/** Where a backup writes, or a Restore reads, once that is known; and in which words it is refused: those of a sure clash. */
interface Claim {
    place?: BackupPlace;
    refusal?: string;
}

/** Notes where a backup writes or a Restore reads, as soon as that is known. */
export interface PlaceClaim {
    /** @returns the clash that is not sure, if another backup of the program writes there, or a Restore reads there. */
    at(place: BackupPlace | undefined): string | undefined;
    /** @returns the words of a sure clash that is known by now, whichever of the two came first. Empty if there is none. */
    refusal(): string;
    /** Notes where earlier attempts of a dump have written. */
    left(places: readonly (BackupPlace | undefined)[]): void;
    /** @returns why a dump must not be loaded from a place, as far as the dumps of the program are known by now. Empty if it may. */
    loading(from: BackupPlace | undefined): string;
}

/**
 * @returns the claim of a backup or a Restore, made in the order of the program. Only a sure clash is refused, by the gates of both backups, unless the
 * backup has begun: a program may lead to two clusters whose storages look alike, and a backup that is done never runs again.
 */
export function placeClaim(): PlaceClaim {
    const program = pulumi.runtime.getMonitor() as object | undefined;
    const claims = (program && programs.get(program)) ?? [];
    const dumps = (program && earlierDumps.get(program)) ?? [];
    if (program) {
        programs.set(program, claims);
        earlierDumps.set(program, dumps);
    }
    const own: Claim = {};
    claims.push(own);
    return {
        at(place) {
            own.place = place;
            for (const one of claims) {
                const seen = clashOf(one, claims);
                one.refusal ??= seen?.isSure ? seen.words : undefined;
            }
            const clash = clashOf(own, claims);
            return clash && !clash.isSure
                ? `${clash.words}. Ignore this if the two are not the same storage`
                : undefined;
        },
        refusal: () => own.refusal ?? "",
        left: (places) => dumps.push(...places.filter((place) => place !== undefined)),
        loading: (from) => (from && halfDump(from, dumps)) ?? "",
    };
}

/** A Restore is in the way of one backup that comes after it in the program: it cannot wait for that one, so it reads another one. */
function clashOf(own: Claim, claims: readonly Claim[]): PlaceClash | undefined {
    const { place } = own;
    if (place === undefined || place.use === "reads from") {
        return undefined;
    }
    const isOne = place.use === undefined && !place.hasFolders;
    const others = claims.flatMap((one, index) =>
        one !== own && one.place && (one.place.use !== "reads from" || (isOne && index < claims.indexOf(own)))
            ? [one.place]
            : [],
    );
    return samePlace(place, others);
}

/** As `placeClaim`, for backups that have no gate of their own: the warning is the resource's. */
export function warnedPlaceClaim(resource: pulumi.Resource): (place: BackupPlace | undefined) => void {
    const claim = placeClaim();
    return (place) => {
        const clash = claim.at(place) ?? claim.refusal();
        if (clash !== "") {
            void pulumi.log.warn(clash, resource);
        }
    };
}
