/** A store's `state_name` in PD's answers. */
export type StoreState = "Up" | "Disconnected" | "Down" | "Offline" | "Tombstone";

/** What PD calls a store that is to stay, by how long it has been silent. All times are milliseconds. */
export function stateBySilence(
    silence: number,
    limits: { readonly storeDisconnected: number; readonly storeDown: number },
): Extract<StoreState, "Up" | "Disconnected" | "Down"> {
    if (silence > limits.storeDown) {
        return "Down";
    }
    return silence > limits.storeDisconnected ? "Disconnected" : "Up";
}

/** When a store's process started, as PD keeps it: whole seconds since 1970. `at`: milliseconds since 1970. */
export function startSeconds(at: number): number {
    return Math.floor(at / 1000);
}
