import type { PdClient } from "../../../provider/pd";
import { grantedSeconds, leaseEnd } from "../../../sandbox/dataPlane/facts/etcd";
import { pdError } from "./pdCall";
import { hasQuorum } from "./truth";
import type { World } from "./world";

type Etcd = Pick<PdClient, "readKey" | "grantLease" | "keepLeaseAlive" | "revokeLease" | "putIfAbsent">;

/** PD's etcd over HTTP, as far as the lock uses it: keys with leases. */
export function etcdCalls(world: World, send: <T>(call: string, work: () => T) => Promise<T>): Etcd {
    const { pd } = world;
    const ask = <T>(call: string, work: () => T): Promise<T> =>
        send(call, () => {
            if (!pd.hasGateway) {
                throw pdError("PD_NO_GATEWAY", call);
            }
            if (!hasQuorum(world)) {
                throw pdError("PD_NO_LEADER", call);
            }
            return work();
        });
    const isAlive = (id: string) => pd.leases.some((lease) => lease.id === id && lease.endsAt > world.now);
    const keyOf = (name: string) => pd.keys.find(({ key, leaseId }) => key === name && isAlive(leaseId));
    return {
        readKey: (name) => ask("read key", () => keyOf(name)),
        grantLease: (ttl) =>
            ask("grant lease", () => {
                const id = String(world.nextId++);
                const granted = grantedSeconds(ttl);
                pd.leases.push({ id, ttl: granted, endsAt: leaseEnd(world.now, granted) });
                return id;
            }),
        keepLeaseAlive: (id) =>
            ask("keep lease alive", () => {
                const lease = pd.leases.find((one) => one.id === id && isAlive(id));
                if (lease) {
                    lease.endsAt = leaseEnd(world.now, lease.ttl);
                }
                return lease !== undefined;
            }),
        revokeLease: (id) =>
            ask("revoke lease", () => {
                pd.leases = pd.leases.filter((lease) => lease.id !== id);
                pd.keys = pd.keys.filter(({ leaseId }) => leaseId !== id);
            }),
        putIfAbsent: (key, value, leaseId) =>
            ask("put key", () => {
                const there = keyOf(key);
                if (there) {
                    return there.leaseId === leaseId ? { held: true } : { held: false, ...there };
                }
                if (!isAlive(leaseId)) {
                    throw pdError("PD_NOT_FOUND", "put key");
                }
                pd.keys = [...pd.keys.filter((one) => one.key !== key), { key, value, leaseId }];
                return { held: true };
            }),
    };
}
