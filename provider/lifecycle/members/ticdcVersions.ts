/** From this version on a capture can be drained while the others run another version. */
const crossVersion = [6, 3, 0];

/**
 * Whether a capture can be shut down gracefully when it is to run another version: the same one; or from 6.3.0 on one
 * that is less than two major versions ahead. Where either is no version it is tried: a capture that does not know how
 * says so (tidb-operator pkg/manager/member/ticdc_upgrader.go).
 *
 * @param running As its status page says it.
 * @param target The tag of the image that it is to run. Undefined: it is not known.
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
