/** The addresses of a pod. Kubernetes accepts no loopback address as a pod's, so a pod has two that differ in their first number. */
export interface PodAddress {
    /** The address in the pod's status: `10.N.x.y`. */
    podIp: string;
    /** Where its process listens: `127.N.x.y`. */
    loopback: string;
}

/** The addresses of a sandbox's pods. */
export interface PodNetwork {
    /** Returns an address that no pod has had. */
    next(): PodAddress;
    /** Returns the address of a pod that ran before; undefined if it is of another network. */
    known(podIp: string): PodAddress | undefined;
}

const first = 16;
const last = 254;
const perPart = 250;

/**
 * Returns the number of a network that no other sandbox of this machine has.
 * @param before the one that this sandbox had, which it keeps if it can.
 * @throws if all are taken
 */
export function freeNetwork(taken: readonly number[], before?: number): number {
    if (before !== undefined && !taken.includes(before)) {
        return before;
    }
    for (let number = first; number <= last; number++) {
        if (!taken.includes(number)) {
            return number;
        }
    }
    throw new Error(`all ${last - first + 1} networks of loopback addresses are taken by sandboxes: stop one`);
}

/** @param number the second number of all addresses. */
export function podNetwork(number: number): PodNetwork {
    let used = 0;
    const address = (rest: string): PodAddress => ({
        podIp: `10.${number}.${rest}`,
        loopback: `127.${number}.${rest}`,
    });
    return {
        next: () => {
            const index = used++;
            return address(`${Math.floor(index / perPart)}.${(index % perPart) + 1}`);
        },
        known: (podIp) => {
            const [, high, low] = new RegExp(`^10\\.${number}\\.(\\d+)\\.(\\d+)$`).exec(podIp) ?? [];
            if (high === undefined) {
                return undefined;
            }
            used = Math.max(used, Number(high) * perPart + Number(low));
            return address(`${high}.${low}`);
        },
    };
}
