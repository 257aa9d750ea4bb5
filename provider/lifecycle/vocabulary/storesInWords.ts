/** @returns whether both are the same stores. Both ascend. */
export function areSameStores(some: readonly number[] | undefined, others: readonly number[]): boolean {
    return some?.join() === others.join();
}

/** @returns `store 4`, `stores 4, 5`. */
export function storesInWords(stores: readonly number[]): string {
    return `${stores.length === 1 ? "store" : "stores"} ${stores.join(", ")}`;
}
