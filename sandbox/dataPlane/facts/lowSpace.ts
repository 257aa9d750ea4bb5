/** A store with fewer regions is not low on space while more bytes than that are free (tikv/pd pkg/core/store.go, `IsLowSpace`). */
const initialRegions = 100;
const initialBytes = 8 * 1024 ** 3;

/** Whether PD calls a store low on space and moves no region to it. */
export function isLowSpace(
    { capacity, available, regions }: { capacity: number; available: number; regions: number },
    lowSpaceRatio: number,
): boolean {
    return (regions < initialRegions && available > initialBytes) || capacity === 0
        ? false
        : available / capacity < 1 - lowSpaceRatio;
}
