import type { PdClient, PdKey } from "../../../provider/pd";
import { PdError, type PdErrorCode } from "../../../provider/pd/pdError";

/** PD's etcd as far as the lock uses it: keys with leases, which end by a separate clock. */
export class OnePdLock {
    keys: Record<string, PdKey> = {};
    trouble: PdErrorCode | undefined;
    /** The call whose answers are lost, although it is carried out. */
    losesAnswerOf: "putIfAbsent" | undefined;
    calls: string[] = [];
    private leases = new Map<string, { ttl: number; until: number }>();
    private next = 100;

    /** @param now the clock of etcd's machine, in milliseconds */
    constructor(private readonly now: () => number) {}

    readonly client = {
        readKey: (key: string) => this.answer("readKey", () => this.keys[key]),
        grantLease: (ttl: number) =>
            this.answer("grantLease", () => {
                const id = String(this.next++);
                this.leases.set(id, { ttl, until: this.now() + ttl * 1000 });
                return id;
            }),
        keepLeaseAlive: (id: string) =>
            this.answer("keepLeaseAlive", () => {
                const lease = this.leases.get(id);
                if (lease) {
                    lease.until = this.now() + lease.ttl * 1000;
                }
                return lease !== undefined;
            }),
        revokeLease: (id: string) => this.answer("revokeLease", () => this.end(id)),
        putIfAbsent: (key: string, value: string, leaseId: string) =>
            this.answer("putIfAbsent", () => {
                const there = this.keys[key] as PdKey | undefined;
                if (there && there.leaseId !== leaseId) {
                    return { held: false, ...there };
                }
                this.keys[key] = { value, leaseId };
                if (this.losesAnswerOf === "putIfAbsent") {
                    throw this.error("PD_UNREACHABLE");
                }
                return { held: true };
            }),
    } as unknown as PdClient;

    private answer<T>(call: string, work: () => T): Promise<T> {
        this.calls.push(call);
        for (const [id, { until }] of this.leases) {
            if (this.now() >= until) {
                this.end(id);
            }
        }
        return this.trouble ? Promise.reject(this.error(this.trouble)) : Promise.resolve().then(work);
    }

    private end(id: string): void {
        this.leases.delete(id);
        this.keys = Object.fromEntries(Object.entries(this.keys).filter(([, { leaseId }]) => leaseId !== id));
    }

    private error(code: PdErrorCode): PdError {
        return new PdError({ code, call: "ask etcd", attempts: [], next: "" });
    }
}
