import * as pulumi from "@pulumi/pulumi";
import { type BackupPlace, samePlaceProblems } from "../br/samePlace";
import { ManifestError } from "../problem";

/** Each run of a program has a connection of its own to the engine, also where one process runs several programs. */
const programs = new WeakMap<object, Map<object, BackupPlace>>();

/**
 * @returns what notes where a backup writes, as soon as that is known. It throws a ManifestError if another backup of the program writes there.
 * @param source names the backup in errors.
 */
export function placeClaim(): (place: BackupPlace | undefined, source: string) => void {
    const program = pulumi.runtime.getMonitor() as object | undefined;
    const places = (program && programs.get(program)) ?? new Map<object, BackupPlace>();
    if (program) {
        programs.set(program, places);
    }
    const own = {};
    return (place, source) => {
        if (place === undefined) {
            return;
        }
        places.delete(own);
        const problems = samePlaceProblems(place, [...places.values()]);
        if (problems.length > 0) {
            throw new ManifestError(problems, source);
        }
        places.set(own, place);
    };
}
