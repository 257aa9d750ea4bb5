import { passwordSecretName } from "../../topology/names";
import type { BarredKeys } from "../lifecycle/vocabulary/settings";
import type { ClusterId } from "./clusterId";
import type { KubernetesApi } from "./kubernetesApi";
import type { ForwardedPod } from "./podForwards";
import { readRootPassword, rootPasswordKey } from "./rootPassword";
import type { SqlLogin, SqlStatement } from "./sqlLogin";

/** Why root cannot log in anywhere, and what to do. */
export type NoLogin = Omit<BarredKeys, "keys">;

/** Rows of each statement, or why root cannot log in. */
export type RootAnswer = { readonly rows: readonly Record<string, unknown>[][] } | { readonly noLogin: NoLogin };

/** Statements as root, with the password of the cluster's Secret, whoever has written it there. */
export class RootLogin {
    /** A password that TiDB has refused. It is not tried again: TiDB may lock an account after failed logins. */
    private refused: string | undefined;

    constructor(
        private readonly api: Pick<KubernetesApi, "readSecretObject">,
        private readonly id: Pick<ClusterId, "namespace" | "cluster">,
        private readonly sql: Pick<SqlLogin, "statements" | "keepOnly">,
    ) {}

    /** Closes the connections to all other pods. */
    keepOnly(pods: readonly ForwardedPod[]): void {
        this.sql.keepOnly(pods);
    }

    /**
     * @param assertAllowed as for `SqlLogin.statements`. Default: nothing is changed.
     * @throws Error with the reason if this pod cannot be asked, or refuses a statement; the error of `assertAllowed`
     */
    async ask(pod: ForwardedPod, statements: readonly SqlStatement[], assertAllowed?: () => void): Promise<RootAnswer> {
        const secret = passwordSecretName(this.id.cluster);
        const password = await readRootPassword(this.api, this.id);
        if (password === undefined) {
            return {
                noLogin: {
                    seen: `Secret ${secret} has no password of root, so nobody can be logged in`,
                    next: "leave the setting as before in one `pulumi up`, which sets the password; then change it",
                },
            };
        }
        const rows =
            password === this.refused ? "denied" : await this.sql.statements(pod, password, statements, assertAllowed);
        if (rows === "needs TLS") {
            return {
                noLogin: {
                    seen: "TiDB accepts no login without TLS (`require_secure_transport` is on), and settings are set without it",
                    next: "set `require_secure_transport` to OFF until the change is done, or take `initializer.createPassword` out of `spec.tidb`: then a restart applies the setting",
                },
            };
        }
        if (rows !== "denied") {
            return { rows };
        }
        this.refused = password;
        return {
            noLogin: {
                seen: `TiDB does not accept the password in Secret ${secret} for root`,
                next: `write root's password to the key ${rootPasswordKey} of Secret ${secret}, or take \`initializer.createPassword\` out of \`spec.tidb\`: then a restart applies the setting`,
            },
        };
    }
}
