/**
 * @param stores the labels of a region's stores, TiFlash left out.
 * @param locationLabels PD's location labels, the coarsest first.
 * @returns the first location label in which all stores differ, `none` if there is none (tikv/pd pkg/statistics/region_collection.go,
 * `GetRegionLabelIsolation`). A store without the label may be anywhere, unless all of them lack it.
 */
export function isolationLevel(
    stores: readonly Readonly<Record<string, string>>[],
    locationLabels: readonly string[],
): string {
    let together = [stores];
    for (const label of locationLabels) {
        together = together.flatMap((some) => notApart(some, label));
        if (together.length === 0) {
            return label;
        }
    }
    return "none";
}

/** @returns the groups of stores that the label does not tell apart. */
function notApart(stores: readonly Readonly<Record<string, string>>[], label: string) {
    const valueOf = (store: Readonly<Record<string, string>>) => store[label] ?? "";
    const without = stores.filter((store) => valueOf(store) === "");
    const values = [...new Set(stores.map(valueOf))].filter((value) => value !== "");
    if (values.length === 0) {
        return without.length > 1 ? [without] : [];
    }
    const groups = values.map((value) => [...stores.filter((store) => valueOf(store) === value), ...without]);
    return without.length > 0 ? groups : groups.filter(({ length }) => length > 1);
}
