/** Of how many regions PD's checker looks at once: a 1024th of them, within these bounds (tikv/pd pkg/schedule/checker/checker_controller.go). */
const share = 1024;
const fewest = 128;
const most = 8192;
/** PD's default of `patrol-region-interval`. */
const interval = 0.01;

/** @returns how long PD 8.5 takes at least to look at all regions once, in seconds. */
export function patrolSeconds(regions: number): number {
    const limit = Math.min(most, Math.max(fewest, Math.floor(regions / share)));
    return Math.max(1, Math.ceil(regions / limit)) * interval;
}
