/**
 * Property values as exchanged between a Pulumi program, the engine and the providers: plain JSON values, in which
 * secrets and unknowns are marked as in Pulumi's wire protocol.
 */
export type PropertyValue = null | boolean | number | string | PropertyValue[] | { [key: string]: PropertyValue };
/** Properties by name: the inputs or outputs of a resource. */
export type PropertyMap = Record<string, PropertyValue>;

/** The key that marks an object of the wire protocol as a special value. The value of the key says which one. */
export const signatureKey = "4dabf18193072939515e22adb298388d";
/** The value of that key in the envelope of a secret. */
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
/** Represents a value that a preview cannot know. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A secret in its envelope. `value` is in clear text. */
export type Secret = { [signatureKey]: typeof secretSignature; value: PropertyValue };

/** Whether a value is an object with keys: neither an array nor null. A secret's envelope is also one. */
export function isObject(value: unknown): value is Record<string, PropertyValue> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a secret's envelope. Does not look for secrets deeper in the value. */
export function isSecret(value: unknown): value is Secret {
    return isObject(value) && value[signatureKey] === secretSignature;
}

/** Puts the value into a secret's envelope unless it is already in one. */
export function makeSecret(value: PropertyValue): PropertyValue {
    return isSecret(value) ? value : { [signatureKey]: secretSignature, value };
}

/** Replaces every secret envelope in a value at any depth. `replace` gets the envelope's content. */
function replaceSecrets(value: PropertyValue, replace: (content: PropertyValue) => PropertyValue): PropertyValue {
    if (isSecret(value)) {
        return replace(value.value);
    }
    if (Array.isArray(value)) {
        return value.map((element) => replaceSecrets(element, replace));
    }
    if (isObject(value)) {
        return mapValues(value, (element) => replaceSecrets(element, replace));
    }
    return value;
}

/** Returns the value without secret envelopes, for providers that do not accept secrets. */
export function stripSecrets<T extends PropertyValue>(value: T): T {
    const strip = (inner: PropertyValue): PropertyValue => replaceSecrets(inner, strip);
    return strip(value) as T;
}

/** Returns the value for display, with `[secret]` in place of every secret. */
export function maskSecrets<T extends PropertyValue>(value: T): T {
    return replaceSecrets(value, () => "[secret]") as T;
}

/** Whether a value is a secret or contains one at any depth. */
function containsSecrets(value: PropertyValue | undefined): boolean {
    return someValue(value, isSecret);
}

/** Whether a value is unknown or contains an unknown at any depth. */
export function containsUnknowns(value: PropertyValue | undefined): boolean {
    return someValue(value, (element) => element === unknownValue);
}

function someValue(value: PropertyValue | undefined, holds: (value: PropertyValue) => boolean): boolean {
    if (value === undefined || value === null) {
        return false;
    }
    if (holds(value)) {
        return true;
    }
    return typeof value === "object" && Object.values(value).some((element) => someValue(element, holds));
}

/**
 * Marks values as secret that a provider returned in clear text but that were secret when passed to it. Objects are
 * compared key by key. Any other value becomes secret if its counterpart contained a secret.
 */
export function restoreSecrets(values: PropertyMap, before: PropertyMap): PropertyMap {
    return mapValues(values, (value, key) => {
        const counterpart = before[key];
        if (counterpart === undefined || isSecret(value) || !containsSecrets(counterpart)) {
            return value;
        }
        if (isObject(value) && isObject(counterpart) && !isSecret(counterpart)) {
            return restoreSecrets(value, counterpart);
        }
        return makeSecret(value);
    });
}

/** Returns a new object with the same keys and mapped values. */
export function mapValues<V, W>(object: Record<string, V>, map: (value: V, key: string) => W): Record<string, W> {
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

/** Whether two values are equal at any depth. An absent key equals an undefined one. */
export function deepEqual(left: PropertyValue | undefined, right: PropertyValue | undefined): boolean {
    if (left === right) {
        return true;
    }
    if (Array.isArray(left) && Array.isArray(right)) {
        return left.length === right.length && left.every((element, index) => deepEqual(element, right[index]));
    }
    if (isObject(left) && isObject(right)) {
        const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
        return [...keys].every((key) => deepEqual(left[key], right[key]));
    }
    return false;
}
