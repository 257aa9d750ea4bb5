import type { PropertyMap } from "../../../sandbox/engine/values";

/** The property that causes a certificate to be reissued when it is due. */
const property = "readyForRenewal";

/** A certificate is due for renewal `earlyRenewalHours` before its end. The first run after that renews it. */
export function isReadyForRenewal({ validityEndTime, earlyRenewalHours }: PropertyMap, now: Date): boolean {
    return Date.parse(validityEndTime as string) - (earlyRenewalHours as number) * 3_600_000 <= now.getTime();
}

/** Returns the property once the certificate is due. */
export function renewal(properties: PropertyMap, now: Date): string | undefined {
    return isReadyForRenewal(properties, now) ? property : undefined;
}
