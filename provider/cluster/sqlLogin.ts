import type { Connection } from "mysql2";
import { connect } from "node:net";
import { ports } from "../../topology/ports";
import { RefusedBeforeSend, refuseIfAsked } from "../http/httpError";
import type { ForwardedPod, PodForwards } from "./podForwards";

/** Timeout of a login and of a statement, the same as tidb-operator's (tidb_member_manager.go). */
const timeoutMilliseconds = 5_000;
/** MySQL's error numbers for a wrong password, and for no password where there is one. */
const accessDenied = [1045, 1698];
/** MySQL's error number for a connection without TLS where `require_secure_transport` is on. */
const needsTls = 3159;

/** A statement with its values. */
export interface SqlStatement {
    readonly sql: string;
    readonly values: readonly unknown[];
    /** Whether it changes anything. Default: false. */
    readonly changes?: true;
}

/** Logs in to TiDB as root, through the API server. Its errors never contain a password. */
export class SqlLogin {
    /**
     * @param forwards port-forwards to the SQL port of TiDB's pods.
     * @param timeout of a login and of a statement, in milliseconds.
     */
    constructor(
        private readonly forwards: Pick<PodForwards, "to" | "keepOnly">,
        private readonly timeout = timeoutMilliseconds,
    ) {}

    /** Closes the connections to all other pods. */
    keepOnly(pods: readonly ForwardedPod[]): void {
        this.forwards.keepOnly(pods);
    }

    /** @returns whether TiDB accepts the password for root. @throws Error with the reason if TiDB cannot be asked. */
    async isAccepted(pod: ForwardedPod, password: string): Promise<boolean> {
        try {
            await this.as(pod, password, () => Promise.resolve());
            return true;
        } catch (error) {
            if (accessDenied.includes((error as SqlLoginError).errno ?? 0)) {
                return false;
            }
            throw error;
        }
    }

    /**
     * Sets the password of a root that has none.
     * @param assertAllowed throws if nothing may be changed any more. Called after the login, in the last moment before the statement leaves.
     * @throws the error of `assertAllowed`, and nothing was sent; SqlLoginError with the reason if TiDB did not set it
     */
    setPassword(pod: ForwardedPod, password: string, assertAllowed: () => void): Promise<void> {
        return this.as(
            pod,
            "",
            async (connection) => {
                const statement = { sql: "ALTER USER 'root'@'%' IDENTIFIED BY ?", timeout: this.timeout };
                refuseIfAsked(assertAllowed);
                await connection.promise().query(statement, [password]);
            },
            [password],
        );
    }

    /**
     * Carries out statements as root, one after the other.
     * @param assertAllowed as for `setPassword`, before each statement that changes something.
     * @returns the rows of each; `denied` if TiDB does not accept the password; `needs TLS` if it accepts no login without TLS.
     * @throws the error of `assertAllowed`, and the statement was not sent; SqlLoginError with the reason if TiDB cannot be asked, or refuses a
     * statement.
     */
    async statements(
        pod: ForwardedPod,
        password: string,
        all: readonly SqlStatement[],
        assertAllowed: () => void = unchecked,
    ): Promise<Record<string, unknown>[][] | "denied" | "needs TLS"> {
        const rows: Record<string, unknown>[][] = [];
        try {
            await this.as(pod, password, async (connection) => {
                for (const { sql, values, changes } of all) {
                    refuseIfAsked(changes && assertAllowed);
                    const [answer] = await connection.promise().query({ sql, timeout: this.timeout }, [...values]);
                    rows.push(Array.isArray(answer) ? (answer as Record<string, unknown>[]) : []);
                }
            });
            return rows;
        } catch (error) {
            const { errno = 0 } = error as SqlLoginError;
            if (errno === needsTls) {
                return "needs TLS";
            }
            if (accessDenied.includes(errno)) {
                return "denied";
            }
            throw error;
        }
    }

    private async as(
        pod: ForwardedPod,
        password: string,
        work: (connection: Connection) => Promise<void>,
        secrets = [password],
    ): Promise<void> {
        const forward = await this.forwards.to(pod);
        // Loaded only here: a run that sets no password does not need the library.
        const { createConnection, escape } = await import("mysql2");
        // The library only ends its half of a connection: a server that does not answer would keep the process alive.
        const socket = connect(forward.port, "127.0.0.1");
        const connection = createConnection({
            stream: () => socket,
            user: "root",
            password,
            connectTimeout: this.timeout,
        });
        // The call reports its own error; without a listener the error event would end the process.
        connection.on("error", () => undefined);
        try {
            await new Promise<void>((resolve, reject) =>
                connection.connect((error) => (error ? reject(error) : resolve())),
            );
            await work(connection);
        } catch (error) {
            if (error instanceof RefusedBeforeSend) {
                throw error.reason;
            }
            const { errno, code, message } = error as NodeJS.ErrnoException;
            const seconds = this.timeout / 1000;
            const isTimeout = code === "ETIMEDOUT" || code === "PROTOCOL_SEQUENCE_TIMEOUT";
            const seen = forward.trouble ?? (isTimeout ? `no answer within ${seconds} s` : message);
            // The library's error contains the statement, so it is neither shown nor passed on.
            const shown = [...secrets, ...secrets.map((secret) => escape(secret).slice(1, -1))]
                .filter((secret) => secret !== "")
                .reduce((text, secret) => text.replaceAll(secret, "***"), seen);
            throw new SqlLoginError(`SQL port ${ports.tidb.sql}: ${shown}`, errno);
        } finally {
            connection.destroy();
            socket.destroy();
        }
    }
}

function unchecked(): never {
    throw new Error("a statement that changes something needs a check of the lock: this is a bug in pulumi-tidb");
}

/** TiDB could not be asked, did not answer, or refused. */
export class SqlLoginError extends Error {
    override readonly name = "SqlLoginError";
    constructor(
        message: string,
        /** MySQL's error number, if TiDB sent one. */
        readonly errno: number | undefined,
    ) {
        super(message);
    }
}
