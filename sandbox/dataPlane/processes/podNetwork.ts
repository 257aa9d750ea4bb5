import * as net from "node:net";

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

/** A network that no other sandbox of this machine, of whatever user, has. */
export interface ClaimedNetwork {
    number: number;
    release(): void;
}

/** The address of each network that the sandbox which has it listens on, with a port that no server of TiDB has. */
const claim = { rest: "255.254", port: 47160 };

/**
 * Claims a network of loopback addresses until it is released, or this process ends.
 * @param before the one that this sandbox had, which it gets again if it can.
 * @throws if all are taken
 */
export async function claimNetwork(before?: number): Promise<ClaimedNetwork> {
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    for (const number of before === undefined ? numbers : [before, ...numbers]) {
        const server = net.createServer((socket) => socket.destroy());
        const isFree = await new Promise<boolean>((resolve, reject) => {
            server.once("error", (error: NodeJS.ErrnoException) =>
                error.code === "EADDRINUSE" ? resolve(false) : reject(error),
            );
            server.listen(claim.port, `127.${number}.${claim.rest}`, () => resolve(true));
        });
        if (isFree) {
            server.unref();
            return { number, release: () => void server.close() };
        }
    }
    throw new Error(`all ${numbers.length} networks of loopback addresses are taken by sandboxes: stop one`);
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
