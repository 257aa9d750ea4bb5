import { distance } from "fastest-levenshtein";

/**
 * The known name that a wrong one was most likely meant to be: a third of it may be wrong, or two letters, which two
 * that changed places are. Undefined where none is near.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
    const wanted = name.toLowerCase();
    const most = Math.max(Math.min(2, name.length - 2), Math.floor(name.length / 3));
    const byDistance = known
        .filter((candidate) => candidate !== "" && Math.abs(candidate.length - name.length) <= most)
        .map((candidate) => ({ candidate, away: distance(wanted, candidate.toLowerCase()) }))
        .filter(({ away }) => away <= most)
        .sort((one, other) => one.away - other.away);
    return byDistance[0]?.candidate;
}
