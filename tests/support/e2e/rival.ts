import { createRequire } from "node:module";
import type * as pdLock from "../../../provider/cluster/pdLock";
import type * as session from "../../../provider/cluster/session";
import type * as loop from "../../../provider/gates/loop";
import type { HeldLock } from "../../../provider/cluster/ports";
import type * as pd from "../../../provider/pd";
import type { Arena } from "./arena";
import type { TestStack } from "./stack";

/** The package as it is built, as runs have it: what loads a module late finds it only there. */
const built = createRequire(require.resolve("pulumi-tidb"));
const { ClusterSession } = built("./provider/cluster/session") as typeof session;
const { pdLockKey } = built("./provider/cluster/pdLock") as typeof pdLock;
const { takeLock } = built("./provider/gates/loop") as typeof loop;
const { createPdClient } = built("./provider/pd") as typeof pd;

/**
 * Waits for the lock of a cluster as every run does, takes it, the Lease and the key in PD's etcd, and keeps it alive
 * until it is released. Does nothing else.
 * @param description what it says that it does.
 * @throws Error where PD does not have it
 */
export async function takeLockOf(arena: Arena, stack: TestStack, description: string): Promise<HeldLock> {
    const { namespace, cluster } = stack;
    const id = { namespace, cluster, instance: cluster };
    const opened = await ClusterSession.open({ kubeconfig: arena.sandbox.kubeconfig }, id, { ...id, tls: false });
    const ignored = () => undefined;
    const lock = await takeLock({ description }, opened.ports({ info: ignored, warn: ignored, status: ignored }));
    const found = await keyOfPd(arena, stack);
    if (!found?.includes(`process ${process.pid} `)) {
        throw new Error(`${pdLockKey} in PD's etcd is ${found}, expected this process to have it`);
    }
    return lock;
}

/** What PD's etcd has as its lock. */
async function keyOfPd(arena: Arena, { namespace, cluster }: TestStack): Promise<string | undefined> {
    const endpoints = arena.sandbox.dataPlane.pdUrls(namespace, cluster).map((url) => ({ name: url, url }));
    const client = createPdClient({ endpoints });
    try {
        return (await client.readKey(pdLockKey))?.value;
    } finally {
        client.close();
    }
}
