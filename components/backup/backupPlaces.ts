import * as pulumi from "@pulumi/pulumi";
import { type BackupPlace, halfDump, samePlace } from "../br/samePlace";

/** Each run of a program has a connection of its own to the engine, also where one process runs several programs. */
const programs = new WeakMap<object, Claim[]>();
/** Where earlier attempts of dumps have written. */
const earlierDumps = new WeakMap<object, BackupPlace[]>();

/** Where a backup writes, and in which words it is refused: those of a sure clash. Undefined: it is not. */
interface Claim {
    readonly place: BackupPlace;
    refusal?: string;
}

/** Notes where a backup writes, as soon as that is known. */
export interface PlaceClaim {
    /** @returns the clash that is not sure, if another backup of the program writes there. */
    at(place: BackupPlace | undefined): string | undefined;
    /** @returns the words of a sure clash with a backup that is known by now, whichever of them came first. Empty if there is none. */
    refusal(): string;
    /** Notes where earlier attempts of a dump have written. */
    left(places: readonly (BackupPlace | undefined)[]): void;
    /** @returns why a dump must not be loaded from a place, as far as the dumps of the program are known by now. Empty if it may. */
    loading(from: BackupPlace | undefined): string;
}

/**
 * @returns the claim of a backup. Only a sure clash is refused, by the gates of both, unless the backup has begun: a program may lead to two clusters whose
 * storages look alike, and a backup that is done never runs again.
 */
export function placeClaim(): PlaceClaim {
    const program = pulumi.runtime.getMonitor() as object | undefined;
    const claims = (program && programs.get(program)) ?? [];
    const dumps = (program && earlierDumps.get(program)) ?? [];
    if (program) {
        programs.set(program, claims);
        earlierDumps.set(program, dumps);
    }
    let own: Claim | undefined;
    return {
        at(place) {
            if (place === undefined) {
                return undefined;
            }
            const clash = samePlace(
                place,
                claims.map((one) => one.place),
            );
            own = { place, ...(clash?.isSure ? { refusal: clash.words } : {}) };
            for (const other of claims) {
                const seen = samePlace(other.place, [place]);
                other.refusal ??= seen?.isSure ? seen.words : undefined;
            }
            claims.push(own);
            return clash && !clash.isSure
                ? `${clash.words}. Ignore this if the two are not the same storage`
                : undefined;
        },
        refusal: () => own?.refusal ?? "",
        left: (places) => dumps.push(...places.filter((place) => place !== undefined)),
        loading: (from) => (from && halfDump(from, dumps)) ?? "",
    };
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
