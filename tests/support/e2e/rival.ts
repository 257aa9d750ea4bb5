import type { HeldLock } from "../../../provider/cluster/gatePorts";
import { pdLockKey } from "../../../provider/cluster/pdLock";
import { ClusterSession } from "../../../provider/cluster/session";
import { takeLock } from "../../../provider/gates/takeLock";
import { createPdClient } from "../../../provider/pd";
import type { Arena } from "./arena";
import type { TestStack } from "./stack";

/**
 * Waits for the lock of a cluster as every run does, then takes the Lease and the key in PD's etcd and keeps them alive
 * until it is released. Does nothing else.
 * @param description the operation it claims to run
 * @throws Error if PD does not have the lock
 */
export async function takeLockOf(arena: Arena, stack: TestStack, description: string): Promise<HeldLock> {
    const { namespace, cluster } = stack;
    const id = { namespace, cluster, instance: cluster };
    const opened = await ClusterSession.open({ kubeconfig: arena.sandbox.kubeconfig }, id, { ...id, tls: false });
    const ignored = () => undefined;
    const lock = await takeLock(
        { description },
        opened.ports({ info: ignored, note: ignored, warn: ignored, status: ignored }),
    );
    const found = await keyOfPd(arena, stack);
    if (!found?.includes(`process ${process.pid} `)) {
        throw new Error(`${pdLockKey} in PD's etcd is ${found}, expected it to name this process`);
    }
    return lock;
}

/** The lock's value in PD's etcd. */
async function keyOfPd(arena: Arena, { namespace, cluster }: TestStack): Promise<string | undefined> {
    const endpoints = arena.sandbox.dataPlane.pdUrls(namespace, cluster).map((url) => ({ name: url, url }));
    const client = createPdClient({ endpoints });
    try {
        return (await client.readKey(pdLockKey))?.value;
    } finally {
        client.close();
    }
}
