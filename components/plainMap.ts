/** Whether a value is a map: neither a list, nor a date, nor anything else with methods of its own. */
export function isMap(value: unknown): value is Record<string, unknown> {
    if (typeof value !== "object" || value === null) {
        return false;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === null || prototype === Object.prototype;
}
