import { randomBytes } from "node:crypto";
import { rootPasswordAnnotation } from "../../topology/annotations";
import { clusterLabels } from "../../topology/labels";
import { passwordSecretName } from "../../topology/names";
import type { ObservedPod, ObservedRootPassword } from "../lifecycle/vocabulary/observation";
import { randomPassword } from "../lifecycle/walks/rootPassword";
import type { KubernetesApi } from "./kubernetesApi";
import type { SqlLogin } from "./sqlLogin";
import type { ClusterId } from "./clusterId";

/** Key of the password, as tidb-operator names it. */
export const rootPasswordKey = "root";

/** @returns root's password from the cluster's Secret; undefined if there is none, or it is empty. */
export async function readRootPassword(
    api: Pick<KubernetesApi, "readSecretObject">,
    { namespace, cluster }: Pick<ClusterId, "namespace" | "cluster">,
): Promise<string | undefined> {
    return (await api.readSecretObject(namespace, passwordSecretName(cluster)))?.data[rootPasswordKey] || undefined;
}

/** The Secret with root's first password, and whether TiDB accepts it. The password goes nowhere else. */
export class RootPassword {
    constructor(
        private readonly api: Pick<KubernetesApi, "readSecretObject" | "guardedBy">,
        private readonly id: ClusterId,
        private readonly sql: Pick<SqlLogin, "isAccepted" | "setPassword" | "keepOnly">,
    ) {}

    /** @param pods TiDB's pods, to try how root can log in; undefined to leave that out. */
    async observe(pods: readonly ObservedPod[] | undefined): Promise<ObservedRootPassword> {
        const found = await this.api.readSecretObject(this.id.namespace, this.secretName);
        if (!found) {
            return { secret: "absent" };
        }
        const password = found.data[rootPasswordKey];
        const note = found.annotations[rootPasswordAnnotation]?.split(" ")[0];
        const noted = note === "set" || note === "left-alone" ? note : undefined;
        if (!password) {
            return { secret: "without-password", noted };
        }
        return { secret: "there", noted, login: pods && (await this.login(pods, password)) };
    }

    /** Creates the Secret. If somebody else has just created it, it stays as it is. */
    makeSecret(assertAllowed: () => void): Promise<void> {
        const labels = clusterLabels(this.id.instance);
        const data = { [rootPasswordKey]: randomPassword(randomBytes) };
        return this.api.guardedBy(assertAllowed).createSecret(this.id.namespace, this.secretName, labels, data);
    }

    /** Sets the Secret's password for root, who has none. */
    async set(pod: { name: string; uid: string }, assertAllowed: () => void): Promise<void> {
        const password = await readRootPassword(this.api, this.id);
        if (password === undefined) {
            throw new Error(
                `Secret ${this.secretName} is gone, or its key ${rootPasswordKey} no longer has a password`,
            );
        }
        await this.sql.setPassword(pod, password, assertAllowed);
    }

    /** Records on the Secret what happened to its password. */
    note(how: "set" | "left-alone", at: Date, assertAllowed: () => void): Promise<void> {
        const annotations = { [rootPasswordAnnotation]: `${how} ${at.toISOString()}` };
        return this.api.guardedBy(assertAllowed).annotateSecret(this.id.namespace, this.secretName, annotations);
    }

    private get secretName(): string {
        return passwordSecretName(this.id.cluster);
    }

    /** Any server that answers will do: all servers share their users. */
    private async login(
        pods: readonly ObservedPod[],
        password: string,
    ): Promise<NonNullable<ObservedRootPassword["login"]>> {
        this.sql.keepOnly(pods);
        const troubles: string[] = [];
        for (const pod of pods) {
            if (!pod.ready || pod.terminating) {
                troubles.push(`${pod.name} is not Ready${pod.trouble ? `: ${pod.trouble}` : ""}`);
                continue;
            }
            const is = { pod: pod.name, uid: pod.uid };
            try {
                if (await this.sql.isAccepted(pod, "")) {
                    return { ...is, with: "nothing" };
                }
                return { ...is, with: (await this.sql.isAccepted(pod, password)) ? "secret" : "neither" };
            } catch (error) {
                troubles.push(`${pod.name} cannot be asked: ${(error as Error).message}`);
            }
        }
        return { trouble: troubles.join("; ") || "TiDB has no pod yet" };
    }
}
