import * as pulumi from "@pulumi/pulumi";
import { type BackupPlace, type PlaceClash, samePlace } from "../br/samePlace";

/** Each run of a program has a connection of its own to the engine, also where one process runs several programs. */
const programs = new WeakMap<object, BackupPlace[]>();

/**
 * @returns what notes where a backup writes, as soon as that is known. It returns the clash if another backup of the program writes there. Only a sure one
 * is refused, by the gate, unless the backup has begun: a program may lead to two clusters whose storages look alike, and a backup that is done never
 * runs again.
 */
export function placeClaim(): (place: BackupPlace | undefined) => PlaceClash | undefined {
    const program = pulumi.runtime.getMonitor() as object | undefined;
    const places = (program && programs.get(program)) ?? [];
    if (program) {
        programs.set(program, places);
    }
    return (place) => {
        if (place === undefined) {
            return undefined;
        }
        const clash = samePlace(place, places);
        places.push(place);
        return clash && !clash.isSure
            ? { ...clash, words: `${clash.words}. Ignore this if the two are not the same storage` }
            : clash;
    };
}

/** As `placeClaim`, for backups that have no gate of their own: the warning is the resource's. */
export function warnedPlaceClaim(resource: pulumi.Resource): (place: BackupPlace | undefined) => void {
    const claim = placeClaim();
    return (place) => {
        const clash = claim(place);
        if (clash !== undefined) {
            void pulumi.log.warn(clash.words, resource);
        }
    };
}
