import type { GatePorts, HeldLock } from "../cluster/gatePorts";
import { GateError } from "./gateError";
import { retryTransient } from "./retry";
import { stoppedRun, whyStopped } from "./stoppedRun";
import { reportWaits } from "./waitReports";

/** How long to pause when PD's lock is taken: PD does not report when it expires. */
const pdLockPauseMilliseconds = 5_000;
/** How long to wait for another run to end. */
const lockTimeoutMilliseconds = 3_600_000;

/** What the lock is for, in words. */
type Described = { readonly description: string };

/** @returns the cluster's lock, once its current holder has released it or it has expired. */
export async function takeLock(operation: Described, ports: GatePorts): Promise<HeldLock> {
    const began = ports.now();
    const waits = reportWaits(ports);
    let announced: string | undefined;
    const reading = retryTransient(ports, true);
    for (;;) {
        const found = await reading(async () => ({ lease: await ports.lease() }));
        if (!found) {
            continue;
        }
        const { lease } = found;
        if (!lease) {
            throw missingLease(operation);
        }
        // This gate holds nothing yet, so it can always stop here.
        const stopped = whyStopped(ports, lease.stopAsked);
        if (stopped) {
            throw stoppedRun(operation, stopped);
        }
        const taken = await reading(() => ports.tryLock(lease, operation.description));
        if (!taken) {
            continue;
        }
        if ("lock" in taken) {
            waits.over("this run has the lock now");
            return taken.lock;
        }
        if (announced !== taken.heldBy) {
            announced = taken.heldBy;
            ports.progress.warn({ code: "lock-held", message: `waiting for ${taken.heldBy}: ${taken.operation}` });
        }
        const left = taken.expiresAt === undefined ? undefined : taken.expiresAt - ports.now();
        const ending =
            left === undefined ? "" : `; its lock expires in ${Math.ceil(left / 1000)} s unless it is renewed`;
        const held = `${taken.heldBy} (${taken.operation})`;
        waits.waiting(taken.heldBy, held, `waiting for ${held}${ending}`);
        if (ports.now() - began > lockTimeoutMilliseconds) {
            throw new GateError({
                code: "lock-held",
                step: "lock",
                target: operation.description,
                seen: `${taken.heldBy} has held the lock for an hour (${taken.operation})`,
                next: "wait until that run has ended, or end it",
            });
        }
        await ports.sleep(left === undefined ? pdLockPauseMilliseconds : Math.min(1_000, Math.max(100, left)));
    }
}

function missingLease(operation: Described): GateError {
    return new GateError({
        code: "lease-gone",
        step: "lock",
        target: operation.description,
        seen: "the cluster's Lease is gone",
        next: "run `pulumi refresh`, then `pulumi up`, which creates the Lease again",
    });
}
