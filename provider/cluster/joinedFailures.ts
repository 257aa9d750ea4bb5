/** @throws Error with the messages of all failures, if there are any. Its cause is the first one. */
export function throwJoined(failures: readonly Error[]): void {
    if (failures.length > 0) {
        throw new Error(failures.map(({ message }) => message).join("; "), { cause: failures[0] });
    }
}
