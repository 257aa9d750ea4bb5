import { createPrivateKey, X509Certificate } from "node:crypto";
import { clientSecretName } from "../../topology/names";
import type { PdTls } from "../pd";
import type { KubernetesApi } from "./kubernetesApi";

/** Keys of a certificate's Secret, as cert-manager writes it and tidb-operator expects it. */
const keys = { ca: "ca.crt", cert: "tls.crt", key: "tls.key" } as const;

/** The Secret with the client certificate that gates present to a cluster's members is missing or cannot be used. */
class ClientCertificateError extends Error {
    override readonly name = "ClientCertificateError";
}

/**
 * Reads the data of the Secret with the client certificate.
 * @param secret its data as text; undefined if there is no such Secret
 * @param where `namespace/name`, for messages
 * @throws ClientCertificateError if it is missing, lacks a key, has an invalid certificate, or a key that does not match
 */
export function readClientCertificate(secret: Record<string, string> | undefined, where: string): PdTls {
    const fail = (found: string, next: string) =>
        new ClientCertificateError(`spec.tlsCluster is on, but Secret ${where} ${found}. ${next}`);
    if (!secret) {
        throw fail(
            "does not exist: without it no member can be queried",
            "Create it with ca.crt, tls.crt and tls.key: a client certificate issued by the same CA as the members' certificates.",
        );
    }
    const missing = Object.values(keys).filter((key) => !secret[key]);
    if (missing.length > 0) {
        const has = Object.keys(secret).sort().join(", ") || "none";
        throw fail(`lacks ${missing.join(" and ")} (its keys: ${has})`, "Add what is missing, as PEM text.");
    }
    const tls = { ca: secret[keys.ca], cert: secret[keys.cert], key: secret[keys.key] };
    const parse = <T>(key: string, kind: string, read: () => T): T => {
        try {
            return read();
        } catch (error) {
            const why = (error as Error).message;
            throw fail(`has no valid ${kind} in ${key} (${why})`, "Write it there as PEM text, unencrypted.");
        }
    };
    parse(keys.ca, "certificate", () => new X509Certificate(tls.ca));
    const certificate = parse(keys.cert, "certificate", () => new X509Certificate(tls.cert));
    const key = parse(keys.key, "private key", () => createPrivateKey(tls.key));
    if (!certificate.checkPrivateKey(key)) {
        throw fail("has a tls.key that does not match its tls.crt", "Reissue the certificate together with its key.");
    }
    return tls;
}

/**
 * @returns what about a client certificate may explain that members refuse it. Members judge by their own clocks, so it
 * is reported only after a refusal.
 * @param now in milliseconds
 */
export function certificateTrouble({ ca, cert }: PdTls, where: string, now: number): string | undefined {
    const certificate = new X509Certificate(cert ?? "");
    const authority = new X509Certificate(ca);
    const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    if (to < now) {
        return `tls.crt in Secret ${where} expired at ${new Date(to).toISOString()}: renew it.`;
    }
    if (from > now) {
        return `tls.crt in Secret ${where} is valid only from ${new Date(from).toISOString()}: check the clocks.`;
    }
    if (Date.parse(authority.validTo) < now) {
        return `ca.crt in Secret ${where} expired at ${new Date(authority.validTo).toISOString()}: renew the CA.`;
    }
    // A chain of CAs cannot be judged by its first certificate alone.
    const isWhole = (text: string) => text.split("BEGIN CERTIFICATE").length === 2;
    if (isWhole(ca) && isWhole(cert ?? "") && !certificate.checkIssued(authority)) {
        return `tls.crt in Secret ${where} was issued by ${oneLine(certificate.issuer)}, but ca.crt in the same Secret is ${oneLine(authority.subject)}: both must belong to the same CA.`;
    }
    return undefined;
}

function oneLine(name: string): string {
    return `"${name.split("\n").join(", ")}"`;
}

/** The client certificate that gates present to a cluster's members: read once, and again when a member refuses it. */
export class ClientCertificate {
    private current: Promise<PdTls> | undefined;
    /** `namespace/name` of its Secret: the cluster's own, even if its PD belongs to another cluster (tidb-operator pkg/controller/pd_control.go). */
    readonly where: string;

    constructor(
        private readonly api: Pick<KubernetesApi, "readSecret">,
        private readonly id: { namespace: string; cluster: string },
    ) {
        this.where = `${id.namespace}/${this.secretName}`;
    }

    /** @throws ClientCertificateError if it is missing or cannot be used; the next call reads it again. */
    read(): Promise<PdTls> {
        this.current ??= this.readSecret();
        this.current.catch(() => (this.current = undefined));
        return this.current;
    }

    /** Reads the Secret again. @returns whether its certificate differs from the one used so far. */
    async isRenewed(): Promise<boolean> {
        const before = await this.current;
        const now = await this.readSecret();
        const isOther = JSON.stringify(before) !== JSON.stringify(now);
        if (isOther) {
            // Connections are kept for as long as the certificate is the same object.
            this.current = Promise.resolve(now);
        }
        return isOther;
    }

    /** @returns what about the certificate may explain that members refuse it. */
    async trouble(now: number): Promise<string | undefined> {
        return certificateTrouble(await this.read(), this.where, now);
    }

    private get secretName(): string {
        return clientSecretName(this.id.cluster);
    }

    private async readSecret(): Promise<PdTls> {
        return readClientCertificate(await this.api.readSecret(this.id.namespace, this.secretName), this.where);
    }
}
