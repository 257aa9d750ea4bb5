import { createPrivateKey, X509Certificate } from "node:crypto";
import { clientSecretName } from "../../topology/names";
import type { PdTls } from "../pd";
import type { KubernetesApi } from "./kubernetesApi";

/** Keys of a Secret with a certificate, as cert-manager lays it out and tidb-operator expects it. */
const keys = { ca: "ca.crt", cert: "tls.crt", key: "tls.key" } as const;

/** The Secret with the certificate that gates show to a cluster's members is missing, or cannot be used. */
class ClientCertificateError extends Error {
    override readonly name = "ClientCertificateError";
}

/**
 * Reads the data of the Secret with the client's certificate.
 * @param secret its data as text; undefined where there is no such Secret
 * @param where `namespace/name`, for messages
 * @throws ClientCertificateError where it is missing, lacks a key, or holds what is no certificate or not its key
 */
export function readClientCertificate(secret: Record<string, string> | undefined, where: string): PdTls {
    const fail = (found: string, next: string) =>
        new ClientCertificateError(`spec.tlsCluster is on, but Secret ${where} ${found}. ${next}`);
    if (!secret) {
        throw fail(
            "is not there: without it no member can be asked",
            "Make it with ca.crt, tls.crt and tls.key, a client's certificate of the authority that signed the members'.",
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
            throw fail(`holds no ${kind} in ${key} (${why})`, "Write it there as PEM text, unencrypted.");
        }
    };
    parse(keys.ca, "certificate", () => new X509Certificate(tls.ca));
    const certificate = parse(keys.cert, "certificate", () => new X509Certificate(tls.cert));
    const key = parse(keys.key, "private key", () => createPrivateKey(tls.key));
    if (!certificate.checkPrivateKey(key)) {
        throw fail("holds a tls.key that is not the key of its tls.crt", "Issue the certificate anew, with its key.");
    }
    return tls;
}

/**
 * What in a client's certificate may be why members refuse it. Members judge by their own clocks, so that this is said
 * only once they have refused it.
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
        return `ca.crt in Secret ${where} expired at ${new Date(authority.validTo).toISOString()}: renew the authority.`;
    }
    // A chain of authorities cannot be judged by its first one alone.
    const isWhole = (text: string) => text.split("BEGIN CERTIFICATE").length === 2;
    if (isWhole(ca) && isWhole(cert ?? "") && !certificate.checkIssued(authority)) {
        return `tls.crt in Secret ${where} is of ${oneLine(certificate.issuer)}, and ca.crt beside it is ${oneLine(authority.subject)}: both must be of one authority.`;
    }
    return undefined;
}

function oneLine(name: string): string {
    return `"${name.split("\n").join(", ")}"`;
}

/** The certificate that gates show to the members of a cluster: read once, and anew when a member refuses it. */
export class ClientCertificate {
    private current: Promise<PdTls> | undefined;
    /** `namespace/name` of its Secret: the cluster's own, also where its PD is another cluster's (tidb-operator pkg/controller/pd_control.go). */
    readonly where: string;

    constructor(
        private readonly api: Pick<KubernetesApi, "readSecret">,
        private readonly id: { namespace: string; cluster: string },
    ) {
        this.where = `${id.namespace}/${this.secretName}`;
    }

    /** @throws ClientCertificateError where it is missing or cannot be used; the next call looks again. */
    read(): Promise<PdTls> {
        this.current ??= this.readSecret();
        this.current.catch(() => (this.current = undefined));
        return this.current;
    }

    /** Reads the Secret again. @returns whether it holds another certificate than the one used so far. */
    async isRenewed(): Promise<boolean> {
        const before = await this.current;
        const now = await this.readSecret();
        this.current = Promise.resolve(now);
        return JSON.stringify(before) !== JSON.stringify(now);
    }

    /** @returns what of the certificate may explain that members refuse it. */
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
