/** The regions that a TiKV itself leads, at the time when its pod was to be stopped. */
export interface LeadersAtStop {
    pod: string;
    /** Of the regions that have a peer on it, those of which it is the leader by its raft state. */
    leaders: number;
    /** The regions that were asked for. */
    regions: number;
}

const sideBySide = 8;

/**
 * Asks a TiKV for the raft state of each of its regions. Its gauge of leaders is refreshed every 10 s only, and PD knows what heartbeats said.
 * @param pd URL of a PD that answers. @param status URL of the TiKV's status.
 */
export async function leadersByRaft(pod: string, pd: string, status: string): Promise<LeadersAtStop> {
    const stores = (await json(`${pd}/pd/api/v1/stores`)) as { stores: { store: { id: number; address: string } }[] };
    const store = stores.stores.find((one) => one.store.address.startsWith(`${pod}.`))?.store;
    if (store === undefined) {
        return { pod, leaders: 0, regions: 0 };
    }
    const { regions } = (await json(`${pd}/pd/api/v1/regions/store/${store.id}`)) as { regions?: { id: number }[] };
    const queue = (regions ?? []).map(({ id }) => id);
    const count = queue.length;
    let leaders = 0;
    const ask = async (): Promise<void> => {
        for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
            const answer = await fetch(`${status}/region/${id}`);
            const text = answer.ok ? await answer.text() : "";
            leaders += /"raft_state"\s*:\s*"Leader"/.test(text) ? 1 : 0;
        }
    };
    await Promise.all(Array.from({ length: sideBySide }, ask));
    return { pod, leaders, regions: count };
}

async function json(url: string): Promise<unknown> {
    return (await fetch(url)).json();
}
