import { createHash, timingSafeEqual } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Connection } from "mysql2";
import type { Clock } from "./clock";
import { RefusedTidbSetting, withVariable } from "./facts/tidbConfig";
import { advance } from "./model/advance";
import { type ClusterState, type Pod, record } from "./model/cluster";
import { processOf } from "./tidbApi";

/** The port on which TiDB's pods serve SQL. */
export const sqlPort = 4000;

/** A loopback port that serves MySQL's protocol. */
export interface SqlListener {
    port: number;
    close(): Promise<void>;
}

/**
 * The greeting that a server sends first: enough of MySQL 4.1 for `mysql_native_password` (pingcap/tidb
 * pkg/parser/mysql/const.go).
 */
const greeting = { protocolVersion: 10, connectionId: 1, statusFlags: 2, characterSet: 45, capabilityFlags: 0x8a205 };

const errors = { denied: 1045, notPlayed: 1064, needsTls: 3159 };

/**
 * Simulates the SQL port of a TiDB pod as far as gates use it: root logs in, is given a password, and changes system
 * variables of the instance. The password belongs to the cluster and survives its pods. Any other statement is an SQL error. TLS is not supported.
 */
export async function startSqlListener(state: ClusterState, pod: string, clock: Clock): Promise<SqlListener> {
    const { createConnection } = await import("mysql2");
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
        advance(state, clock());
        const running = state.pods.get(pod);
        if (!running?.serving) {
            socket.destroy();
            return;
        }
        if (state.faults.tidb[pod]?.sqlUnresponsive) {
            return;
        }
        const connection = createConnection({ stream: socket, isServer: true });
        connection.on("error", () => socket.destroy());
        // The library handles statements that begin with SET differently from others.
        connection.on("query", (sql: string) => answer(state, pod, connection, sql));
        connection.on("stmt_prepare", (sql: string) => answer(state, pod, connection, sql));
        connection.serverHandshake({
            ...greeting,
            serverVersion: `8.0.11-TiDB-${running.version}`,
            authCallback: (login: Login, done: (error: null, refusal?: { message: string; code: number }) => void) => {
                if (state.faults.tidb[pod]?.requiresTls) {
                    const refusal = "Connections using insecure transport are prohibited";
                    done(null, { message: refusal, code: errors.needsTls });
                    connection.sequenceId = 0;
                    return;
                }
                const isRoot = login.user === "root" && proves(login, state.rootPassword);
                const using = login.authToken?.length ? "YES" : "NO";
                const message = `Access denied for user '${login.user}'@'127.0.0.1' (using password: ${using})`;
                done(null, isRoot ? undefined : { message, code: errors.denied });
                connection.sequenceId = 0;
            },
        });
    });
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
    return {
        port: (server.address() as AddressInfo).port,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                sockets.forEach((socket) => socket.destroy());
            }),
    };
}

interface Login {
    user: string;
    authPluginData1: Buffer;
    authPluginData2: Buffer;
    authToken?: Buffer;
}

function textColumn(name: string) {
    const column = { catalog: "def", schema: "", table: "", orgTable: "", name, orgName: "" };
    return { ...column, characterSet: 45, columnLength: 1024, columnType: 253, flags: 0, decimals: 0 };
}

function change(state: ClusterState, server: Pod, connection: Connection, variable: string, value: string): void {
    try {
        if (state.faults.tidb[server.name]?.refusesSettings) {
            throw new RefusedTidbSetting(`Variable '${variable}' can't be set to the value of '${value}'`, 1231);
        }
        server.tidb = withVariable(processOf(server), variable, value);
        record(state, "config-set", { pod: server.name, detail: `${variable} = ${value}` });
        connection.writeOk();
    } catch (error) {
        if (!(error instanceof RefusedTidbSetting)) {
            throw error;
        }
        connection.writeError({ code: error.code, message: error.message });
    }
}

/** Whether a client knows the password. The client proves it without sending it (MySQL's `mysql_native_password`). */
function proves({ authPluginData1, authPluginData2, authToken }: Login, password: string): boolean {
    if (password === "" || !authToken?.length) {
        return password === "" && !authToken?.length;
    }
    const hash = sha1(Buffer.from(password));
    const mask = sha1(authPluginData1, authPluginData2, sha1(hash));
    const proof = hash.map((byte, index) => byte ^ mask[index]);
    return authToken.length === proof.length && timingSafeEqual(authToken, proof);
}

function sha1(...parts: Uint8Array[]): Buffer {
    return parts.reduce((hash, part) => hash.update(part), createHash("sha1")).digest();
}

const setPassword = /^(?:ALTER USER 'root'@'%' IDENTIFIED BY|SET PASSWORD FOR 'root'@'%' =) '([^'\\]+)';?$/i;

const setVariable = /^SET GLOBAL (\w+) = '?([^';]*)'?;?$/i;
const showVariables = /^SHOW GLOBAL VARIABLES WHERE Variable_name IN \((.*)\);?$/i;

function answer(state: ClusterState, pod: string, connection: Connection, sql: string): void {
    const [, password] = setPassword.exec(sql.trim()) ?? [];
    const [, variable, value] = setVariable.exec(sql.trim()) ?? [];
    const [, names] = showVariables.exec(sql.trim()) ?? [];
    const server = state.pods.get(pod);
    if (variable !== undefined && server !== undefined) {
        change(state, server, connection, variable, value);
    } else if (names !== undefined && server !== undefined) {
        const asked = [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name);
        const { variables } = processOf(server);
        const rows = asked.filter((name) => Object.hasOwn(variables, name));
        connection.writeTextResult(
            rows.map((name) => ({ Variable_name: name, Value: variables[name] })),
            ["Variable_name", "Value"].map(textColumn),
        );
    } else if (password !== undefined) {
        state.rootPassword = password;
        connection.writeOk();
    } else if (/^SELECT 1;?$/i.test(sql.trim())) {
        const column = { catalog: "def", schema: "", table: "", orgTable: "", name: "1", orgName: "" };
        connection.writeTextResult(
            [{ "1": 1 }],
            [{ ...column, characterSet: 63, columnLength: 1, columnType: 8, flags: 0, decimals: 0 }],
        );
    } else {
        connection.writeError({
            code: errors.notPlayed,
            message: `the sandbox's TiDB does not support this statement: ${sql}`,
        });
    }
    // Packets are counted from the start for each statement. The library leaves that to the server.
    connection.sequenceId = 0;
}
