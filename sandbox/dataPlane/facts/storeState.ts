/** A store's `state_name` in PD's answers. */
export type StoreState = "Up" | "Disconnected" | "Down" | "Offline" | "Tombstone";

/**
 * The state that PD gives to a store that is not being removed, by the age of its last heartbeat. All times are in
 * milliseconds.
 */
export function stateByHeartbeatAge(
    age: number,
    limits: { readonly storeDisconnected: number; readonly storeDown: number },
): Extract<StoreState, "Up" | "Disconnected" | "Down"> {
    if (age > limits.storeDown) {
        return "Down";
    }
    return age > limits.storeDisconnected ? "Disconnected" : "Up";
}

/**
 * When a store's process started, in the form that PD keeps: whole seconds since 1970. `at` is in milliseconds since
 * 1970.
 */
export function startSeconds(at: number): number {
    return Math.floor(at / 1000);
}
