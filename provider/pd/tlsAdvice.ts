/** Certificate problems in the messages of failed connections, and what to do about them. The first match counts. */
const causes: readonly { readonly found: RegExp; readonly advice: string }[] = [
    {
        found: /ALTNAME|altnames/,
        advice:
            "The server's certificate does not cover the name that the client connects to: reissue it with the names of " +
            "the member's peer Service, `*.<cluster>-<member>-peer.<namespace>.svc`.",
    },
    {
        found: /alert certificate expired|alert number 45/i,
        advice: "The client's certificate has expired, according to the server: renew it.",
    },
    {
        found: /\balert (?!-)|_ALERT_|certificate required/i,
        advice:
            "The server refuses the client's certificate: check that it exists, is valid now, is allowed for client " +
            "authentication, and is signed by the authority that the server trusts.",
    },
    {
        found: /CERT_HAS_EXPIRED|certificate has expired/,
        advice: "The certificate of the server or of its authority has expired: renew it.",
    },
    {
        found: /CERT_NOT_YET_VALID|certificate is not yet valid/,
        advice: "The server's certificate is not valid yet: check the clocks on this machine and where it was issued.",
    },
    {
        found: /SELF_SIGNED|self.signed|UNABLE_TO|unable to (get|verify)|CERT_SIGNATURE_FAILURE|certificate signature/i,
        advice:
            "The server's certificate is not signed by the authority that the client trusts: check that ca.crt is " +
            "the same on both sides.",
    },
];

const otherTlsProblem = /certificate|cert_|_cert|\bTLS\b|SSL/i;

/** A server that refuses the client's certificate may just cut the connection, with or without an alert. */
const cutOverTls = /https:.*(ECONNRESET|socket hang up)/;

/**
 * Returns what to do about a connection that failed because of a certificate.
 * @param problem the address, and the error that the connection failed with
 * @returns a whole sentence; undefined if certificates are not the problem
 */
export function tlsAdvice(problem: string): string | undefined {
    const advice = causes.find(({ found }) => found.test(problem))?.advice;
    if (advice !== undefined) {
        return advice;
    }
    return otherTlsProblem.test(problem) || cutOverTls.test(problem)
        ? "Check the authority, the client's certificate and the server name against the server's certificate."
        : undefined;
}
