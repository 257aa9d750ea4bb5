import type { Connection } from "mysql2";
import { connect } from "node:net";
import { ports } from "../../topology/ports";
import type { ForwardedPod, PodForwards } from "./podForwards";

/** tidb-operator gives a login and a statement as long (tidb_member_manager.go). */
const timeoutMilliseconds = 5_000;
/** Wrong password; no password where there is one. */
const accessDenied = [1045, 1698];

/** Logs in to TiDB as root, through the API server. What it throws never holds a password. */
export class SqlLogin {
    /**
     * @param forwards to the SQL port of TiDB's pods.
     * @param timeout of a login and of a statement, in milliseconds.
     */
    constructor(
        private readonly forwards: Pick<PodForwards, "to" | "keepOnly">,
        private readonly timeout = timeoutMilliseconds,
    ) {}

    /** Closes what leads to other pods. */
    keepOnly(pods: readonly ForwardedPod[]): void {
        this.forwards.keepOnly(pods);
    }

    /** @returns whether TiDB lets root in with the password. @throws Error that says why where it cannot be asked. */
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

    /** Gives a root that has no password this one. @throws Error that says why TiDB did not do it. */
    setPassword(pod: ForwardedPod, password: string): Promise<void> {
        return this.as(
            pod,
            "",
            async (connection) => {
                const statement = { sql: "ALTER USER 'root'@'%' IDENTIFIED BY ?", timeout: this.timeout };
                await connection.promise().query(statement, [password]);
            },
            [password],
        );
    }

    private async as(
        pod: ForwardedPod,
        password: string,
        work: (connection: Connection) => Promise<void>,
        secrets = [password],
    ): Promise<void> {
        const forward = await this.forwards.to(pod);
        // Only here: whoever sets no password does not pay for the library.
        const { createConnection, escape } = await import("mysql2");
        // The library only ends its half of a connection: a server that is silent would keep the process alive.
        const socket = connect(forward.port, "127.0.0.1");
        const connection = createConnection({
            stream: () => socket,
            user: "root",
            password,
            connectTimeout: this.timeout,
        });
        // What goes wrong is told by what was asked; without a listener it would end the process.
        connection.on("error", () => undefined);
        try {
            await new Promise<void>((resolve, reject) =>
                connection.connect((error) => (error ? reject(error) : resolve())),
            );
            await work(connection);
        } catch (error) {
            const { errno, code, message } = error as NodeJS.ErrnoException;
            const seconds = this.timeout / 1000;
            const isSilent = code === "ETIMEDOUT" || code === "PROTOCOL_SEQUENCE_TIMEOUT";
            const seen = forward.trouble ?? (isSilent ? `no answer within ${seconds} s` : message);
            // The library's error holds the statement: it is neither shown nor handed on.
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

class SqlLoginError extends Error {
    override readonly name = "SqlLoginError";
    constructor(
        message: string,
        /** MySQL's number of the error, where TiDB said one. */
        readonly errno: number | undefined,
    ) {
        super(message);
    }
}
