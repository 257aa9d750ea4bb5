import * as pulumi from "@pulumi/pulumi";
import { type BackupPlace, samePlace } from "../br/samePlace";

/** Each run of a program has a connection of its own to the engine, also where one process runs several programs. */
const programs = new WeakMap<object, BackupPlace[]>();

/**
 * @returns what notes where a backup writes, as soon as that is known. It returns a warning if another backup of the program writes there; empty if
 * none does. It is no error: a program may lead to two clusters whose storages look alike, and a backup that is done never runs again.
 */
export function placeClaim(): (place: BackupPlace | undefined) => string {
    const program = pulumi.runtime.getMonitor() as object | undefined;
    const places = (program && programs.get(program)) ?? [];
    if (program) {
        programs.set(program, places);
    }
    return (place) => {
        if (place === undefined) {
            return "";
        }
        const clash = samePlace(place, places);
        places.push(place);
        return clash === "" ? "" : `${clash}. Ignore this if the two are not the same storage`;
    };
}

/** As `placeClaim`, for backups that have no gate of their own: the warning is the resource's. */
export function warnedPlaceClaim(resource: pulumi.Resource): (place: BackupPlace | undefined) => void {
    const claim = placeClaim();
    return (place) => {
        const clash = claim(place);
        if (clash !== "") {
            void pulumi.log.warn(clash, resource);
        }
    };
}
