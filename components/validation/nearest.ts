import { distance } from "fastest-levenshtein";

/**
 * Returns the known name that an unknown name most likely stands for. Up to a third of the name may be wrong, or two letters:
 * two swapped letters count as two. Undefined if no known name is similar enough.
 *
 * @param most The most letters that may be wrong in any case.
 */
export function nearest(name: string, known: readonly string[], most = Infinity): string | undefined {
    const wanted = name.toLowerCase();
    const maxDistance = Math.min(most, Math.max(Math.min(2, name.length - 2), Math.floor(name.length / 3)));
    const byDistance = known
        .filter((candidate) => candidate !== "" && Math.abs(candidate.length - name.length) <= maxDistance)
        .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
        .filter(({ edits }) => edits <= maxDistance)
        .sort((one, other) => one.edits - other.edits);
    return byDistance[0]?.candidate;
}
