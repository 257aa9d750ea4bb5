import type { Cause } from "./cause";
import type { CertificateFacts } from "./facts";

const dayMilliseconds = 86_400_000;
/** A certificate is named this long before it expires. */
const expiresSoonDays = 30;

/** @returns the certificates that have expired or soon will, or that are missing. @param now in milliseconds since 1970. */
export function expiringCertificates(all: readonly CertificateFacts[], now: number): Cause[] {
    return all.flatMap(({ secret: of, pods, certificate }): Cause[] => {
        if (!certificate.known) {
            return [];
        }
        const mounted = `${pods[0]}${pods.length > 1 ? ` and ${pods.length - 1} more mount it` : " mounts it"}`;
        if (certificate.value === "absent") {
            return [
                {
                    of,
                    reason: "VolumeNotMounted",
                    what: `Secret ${of} does not exist, and ${mounted}`,
                    fix: `create Secret ${of}`,
                },
            ];
        }
        const { to, from, subject } = certificate.value;
        const at = new Date(to).toISOString();
        const days = Math.floor((to - now) / dayMilliseconds);
        const renew = "renew the certificate, or find out why cert-manager did not";
        const words =
            from > now
                ? `the certificate in Secret ${of} is valid only from ${new Date(from).toISOString()}`
                : to <= now
                  ? `the certificate in Secret ${of} expired at ${at}`
                  : days < expiresSoonDays
                    ? `the certificate in Secret ${of} expires at ${at}, in ${days === 1 ? "1 day" : `${days} days`}`
                    : undefined;
        return words === undefined
            ? []
            : [
                  {
                      of,
                      reason: "CertificateExpires",
                      what: `${words}; ${mounted}`,
                      evidence: subject.split("\n").join(", "),
                      fix: from > now ? "check the clocks, or reissue the certificate" : renew,
                  },
              ];
    });
}

/** @returns which certificates are not known, one line each. */
export function unknownCertificates(all: readonly CertificateFacts[]): string[] {
    return all.flatMap(({ secret, certificate }) =>
        certificate.known ? [] : [`the certificate in Secret ${secret}: ${certificate.why}`],
    );
}
