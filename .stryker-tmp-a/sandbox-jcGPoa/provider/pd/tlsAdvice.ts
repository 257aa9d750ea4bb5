/** What a failed connection says of certificates, and what to do about each: the first that fits. */
const causes: readonly { readonly found: RegExp; readonly advice: string }[] = [
    {
        found: /ALTNAME|altnames/,
        advice:
            "The server's certificate does not cover the name that it is asked by: issue it anew with the names of " +
            "the member's peer Service, `*.<cluster>-<member>-peer.<namespace>.svc`.",
    },
    {
        found: /alert certificate expired|alert number 45/i,
        advice: "The server says that the client's certificate has expired: renew it.",
    },
    {
        found: /\balert (?!-)|_ALERT_|certificate required/i,
        advice:
            "The server refuses the client's certificate: check that it is there, valid now, allowed for client " +
            "authentication, and signed by the authority that the server trusts.",
    },
    {
        found: /CERT_HAS_EXPIRED|certificate has expired/,
        advice: "The server's certificate, or that of its authority, has expired: renew it.",
    },
    {
        found: /CERT_NOT_YET_VALID|certificate is not yet valid/,
        advice: "The server's certificate is not valid yet: check the clocks, here and where it was issued.",
    },
    {
        found: /SELF_SIGNED|self.signed|UNABLE_TO|unable to (get|verify)|CERT_SIGNATURE_FAILURE|certificate signature/i,
        advice:
            "The server's certificate is not signed by the authority that the client trusts: check that ca.crt is " +
            "the same on both sides.",
    },
];

const otherCertificateTrouble = /certificate|cert_|_cert|\bTLS\b|SSL/i;

/** A server that refuses the client's certificate may only cut the connection, with an alert or without. */
const cutOverTls = /https:.*(ECONNRESET|socket hang up)/;

/**
 * What to do about a connection that failed because of a certificate.
 * @param problem what the connection failed with, its address in front
 * @returns a whole sentence; undefined where the problem is none of certificates
 */
export function tlsAdvice(problem: string): string | undefined {
    const advice = causes.find(({ found }) => found.test(problem))?.advice;
    if (advice !== undefined) {
        return advice;
    }
    return otherCertificateTrouble.test(problem) || cutOverTls.test(problem)
        ? "Check the authority, the client's certificate and the server name against the server's certificate."
        : undefined;
}
