/** The first version whose captures can be drained while the others run a different version. */
const crossVersion = [6, 3, 0];

/**
 * Returns whether a capture can be shut down gracefully before an upgrade. It can if the version stays the same or, from
 * 6.3.0 on, if the target is less than two major versions ahead. If either is not a version number, it is tried anyway: a
 * capture that does not support it reports that (tidb-operator pkg/manager/member/ticdc_upgrader.go).
 *
 * @param running The version that its status page reports.
 * @param target The tag of the image that it will run. Undefined if not known.
 */
export function canShutDownGracefully(running: string, target: string | undefined): boolean {
    const now = numbersOf(running);
    const next = target === undefined ? undefined : isNewest(target) ? [Infinity, 0, 0] : numbersOf(target);
    if (now === undefined || next === undefined || compare(now, next) === 0) {
        return true;
    }
    return compare(now, crossVersion) >= 0 && next[0] < now[0] + 2;
}

function isNewest(tag: string): boolean {
    return /^(latest|nightly|master)(-|$)/.test(tag);
}

function numbersOf(version: string): number[] | undefined {
    const numbers = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+].*)?$/.exec(version)?.slice(1);
    return numbers?.map((number: string | undefined) => Number(number ?? 0));
}

function compare(one: readonly number[], other: readonly number[]): number {
    return one.map((number, index) => number - other[index]).find((difference) => difference !== 0) ?? 0;
}
