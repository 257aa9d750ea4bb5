import type { PropertyMap } from "../../../sandbox/engine/values";

/** The property for which a certificate is issued anew when its time has come. */
const property = "readyForRenewal";

/** A certificate is renewed `earlyRenewalHours` before its end: by the next run after that, and by no other. */
export function isReadyForRenewal({ validityEndTime, earlyRenewalHours }: PropertyMap, now: Date): boolean {
    return Date.parse(validityEndTime as string) - (earlyRenewalHours as number) * 3_600_000 <= now.getTime();
}

/** Its property says so, once it is. */
export function renewal(properties: PropertyMap, now: Date): string | undefined {
    return isReadyForRenewal(properties, now) ? property : undefined;
}
