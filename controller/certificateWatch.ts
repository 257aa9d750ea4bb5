import type { ClusterName } from "../provider/cluster/controllerCalls";
import { expiringCertificates } from "../provider/lifecycle/diagnosis/certificates";
import type { CertificateFacts } from "../provider/lifecycle/diagnosis/facts";
import type { ClusterStatus } from "../status/clusterStatus";
import type { ControllerLog } from "./controllerLog";
import type { ControllerMetrics } from "./controllerMetrics";

/** A certificate is renewed days before it expires, and reading it takes its private key along. */
const readEveryMilliseconds = 5 * 60_000;

/** What a watch of certificates uses. */
export interface CertificatePorts {
    /** Reads the Secrets that a cluster's pods mount. What may not be read is not known. */
    read(name: ClusterName, seen: ClusterStatus): Promise<readonly CertificateFacts[]>;
    readonly log: ControllerLog;
    readonly metrics: Pick<ControllerMetrics, "certificateExpires">;
    /** The time in milliseconds since 1970, by a clock that nobody can set. */
    now(): number;
    /** The same by the machine's clock: certificates expire by it. */
    machineTime(): number;
}

/** Tells Prometheus when certificates expire, and the log when that is soon, as `pulumi-tidb diagnose` does. */
export class CertificateWatch {
    private readonly readAt = new Map<string, number>();
    private readonly secrets = new Map<string, readonly string[]>();
    private readonly told = new Map<string, string>();

    constructor(private readonly ports: CertificatePorts) {}

    /** Reads a cluster's certificates if they were not read for 5 minutes. Never rejects: nothing else waits for them. */
    async look(name: ClusterName, seen: ClusterStatus): Promise<void> {
        const { read, now } = this.ports;
        const key = keyOf(name);
        if (now() - (this.readAt.get(key) ?? -Infinity) < readEveryMilliseconds) {
            return;
        }
        this.readAt.set(key, now());
        try {
            this.tell(name, await read(name, seen));
            this.say(name, "", undefined);
        } catch (error) {
            this.say(name, "", `when certificates expire is not known: ${(error as Error).message}`);
        }
    }

    /** Forgets what it told Prometheus of a cluster that this controller does not look at now. */
    rest(name: ClusterName): void {
        const key = keyOf(name);
        this.secrets.get(key)?.forEach((secret) => this.ports.metrics.certificateExpires(name, secret, undefined));
        this.secrets.delete(key);
        this.readAt.delete(key);
    }

    private tell(name: ClusterName, found: readonly CertificateFacts[]): void {
        const { metrics, machineTime } = this.ports;
        const secrets = found.map(({ secret }) => secret);
        const gone = (this.secrets.get(keyOf(name)) ?? []).filter((secret) => !secrets.includes(secret));
        gone.forEach((secret) => metrics.certificateExpires(name, secret, undefined));
        this.secrets.set(keyOf(name), secrets);
        for (const facts of found) {
            const { secret, certificate } = facts;
            const isRead = certificate.known && certificate.value !== "absent";
            metrics.certificateExpires(name, secret, isRead ? certificate.value.to / 1000 : undefined);
            const [cause] = expiringCertificates([facts], machineTime());
            const unknown = certificate.known
                ? undefined
                : `when the certificate in Secret ${secret} expires is not known: ${certificate.why}`;
            this.say(name, secret, cause === undefined ? unknown : `${cause.what}. Fix: ${cause.fix}`);
        }
    }

    /** Says a thing once, until it changes. */
    private say(name: ClusterName, secret: string, line: string | undefined): void {
        const key = `${keyOf(name)} ${secret}`;
        if (line === undefined) {
            this.told.delete(key);
        } else if (line !== this.told.get(key)) {
            this.told.set(key, line);
            this.ports.log.warn(line, { ...name });
        }
    }
}

function keyOf({ namespace, cluster }: ClusterName): string {
    return `${namespace}/${cluster}`;
}
