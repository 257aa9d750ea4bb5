/** How many operations the journal keeps. */
export const mostOperations = 50;
/** How many bytes all operations of the journal may have, as they are written. */
export const mostBytes = 256 * 1024;

/**
 * @param sizes the bytes of each operation in the journal, by id. Ids sort by time.
 * @param kept the operation that is being written: it stays.
 * @returns the ids of the operations to drop, the oldest first, so the journal stays within its bounds.
 */
export function operationsToDrop(sizes: ReadonlyMap<string, number>, kept: string): string[] {
    const ids = [...sizes.keys()].sort();
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const dropped: string[] = [];
    for (const id of ids) {
        if (ids.length - dropped.length <= mostOperations && total <= mostBytes) {
            break;
        }
        if (id !== kept) {
            dropped.push(id);
            total -= sizes.get(id) ?? 0;
        }
    }
    return dropped;
}
