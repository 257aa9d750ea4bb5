import * as assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, RowDataPacket } from "mysql2/promise";
import { until } from "../e2e/expect";
import {
    accountIds,
    type Audit,
    auditBank,
    type BankState,
    idsApart,
    openingBalance,
    total,
    type Transfer,
} from "./bank";

/** What the clients saw during one operation. */
export interface ClientsReport {
    seconds: number;
    /** Transfers that were acknowledged. */
    acknowledged: number;
    /** Sums of all balances that were read, and those that were not what they must be. */
    sums: number;
    wrongSums: number;
    /** Errors by their code. */
    errors: Record<string, number>;
    /** The longest time between two acknowledged transfers of one writer, in seconds. */
    longestGap: number;
}

/** Accounts and a ledger in TiDB, with clients that know which of their transfers were acknowledged since the tables were created. */
export interface Bank {
    /** The transfers that were acknowledged until now. */
    acknowledged(): readonly Transfer[];
    /** Lets clients work until they are stopped. */
    serve(): { stop(): Promise<ClientsReport> };
    /** Reads the tables back and compares them with every transfer that was acknowledged so far. */
    audit(): Promise<Audit>;
}

const writers = 8;
const regions = 40;
const retryMilliseconds = 100;
/** After this time a statement counts as failed. */
export const statementMilliseconds = 60_000;

/** Creates the accounts, spread over many regions, and the ledger. @param connect connects to a TiDB that is Ready, and throws if none is. */
export async function openBank(connect: () => Promise<Connection>): Promise<Bank> {
    const connection = await untilConnected(connect);
    try {
        await connection.query("CREATE DATABASE bank");
        await connection.query("CREATE TABLE bank.accounts (id INT PRIMARY KEY, balance INT NOT NULL)");
        await connection.query(
            "CREATE TABLE bank.ledger (writer INT, number INT, source INT NOT NULL, target INT NOT NULL, PRIMARY KEY (writer, number) NONCLUSTERED)",
        );
        const end = accountIds.length * idsApart;
        await connection.query(`SPLIT TABLE bank.accounts BETWEEN (0) AND (${end}) REGIONS ${regions}`);
        const rows = accountIds.map((account) => `(${account}, ${openingBalance})`);
        await connection.query(`INSERT INTO bank.accounts VALUES ${rows.join(", ")}`);
    } finally {
        connection.destroy();
    }
    const acknowledged: Transfer[] = [];
    const numbers = Array.from({ length: writers }, () => 0);
    return {
        acknowledged: () => [...acknowledged],
        serve: () => serve(connect, acknowledged, numbers),
        audit: async () => auditBank(await readBank(connect), acknowledged),
    };
}

/** Reads both tables at one time. @param at a timestamp of TiDB. Default: now. */
export async function readBank(connect: () => Promise<Connection>, at?: bigint): Promise<BankState> {
    const connection = await untilConnected(connect);
    try {
        await connection.query(
            at === undefined ? "START TRANSACTION WITH CONSISTENT SNAPSHOT" : `SET @@tidb_snapshot = '${at}'`,
        );
        const [accounts] = await connection.query<RowDataPacket[]>("SELECT id, balance FROM bank.accounts");
        const [ledger] = await connection.query<RowDataPacket[]>(
            "SELECT writer, number, source, target FROM bank.ledger",
        );
        return {
            balances: new Map(accounts.map(({ id, balance }) => [id as number, balance as number])),
            ledger: (ledger as (Transfer & RowDataPacket)[]).map(({ writer, number, source, target }) => {
                return { writer, number, source, target };
            }),
        };
    } finally {
        connection.destroy();
    }
}

/** Connects as soon as TiDB serves SQL. */
export function untilConnected(connect: () => Promise<Connection>): Promise<Connection> {
    return until("TiDB serves SQL", () => connect().catch(() => undefined), statementMilliseconds);
}

/** Moves money between accounts: each writer from an account in a separate region to any other. A reader compares the sum of all balances. */
function serve(
    connect: () => Promise<Connection>,
    acknowledged: Transfer[],
    numbers: number[],
): { stop(): Promise<ClientsReport> } {
    const errors: Record<string, number> = {};
    const before = acknowledged.length;
    let [sums, wrongSums, longestGap] = [0, 0, 0];
    let isOver = false;
    const began = Date.now();
    const each = async (work: (connection: Connection) => Promise<void>): Promise<void> => {
        let connection: Connection | undefined;
        while (!isOver) {
            try {
                connection ??= await connect();
                await work(connection);
            } catch (error) {
                const name = nameOf(error);
                errors[name] = (errors[name] ?? 0) + 1;
                connection?.destroy();
                connection = undefined;
                await sleep(retryMilliseconds);
            }
        }
        connection?.destroy();
    };
    const write = async (writer: number): Promise<void> => {
        let last = Date.now();
        const note = (): void => {
            longestGap = Math.max(longestGap, Date.now() - last);
            last = Date.now();
        };
        await each(async (connection) => {
            // A number is used once: a transfer whose COMMIT failed may be done all the same.
            const sent = randomTransfer(writer, ++numbers[writer]);
            await transfer(connection, sent);
            acknowledged.push(sent);
            note();
        });
        note();
    };
    const read = (): Promise<void> =>
        each(async (connection) => {
            const sql = "SELECT SUM(balance) AS total FROM bank.accounts";
            const [rows] = await connection.query<RowDataPacket[]>({ sql, timeout: statementMilliseconds });
            sums++;
            wrongSums += Number(rows[0].total) === total ? 0 : 1;
            await sleep(50);
        });
    const all = Promise.all([read(), ...numbers.map((_, writer) => write(writer))]);
    return {
        stop: async () => {
            isOver = true;
            await all;
            return {
                seconds: (Date.now() - began) / 1000,
                acknowledged: acknowledged.length - before,
                sums,
                wrongSums,
                errors,
                longestGap: longestGap / 1000,
            };
        },
    };
}

function randomTransfer(writer: number, number: number): Transfer {
    const source = Math.floor((writer * accountIds.length) / writers);
    const target = (source + 1 + Math.floor(Math.random() * (accountIds.length - 1))) % accountIds.length;
    return { writer, number, source: accountIds[source], target: accountIds[target] };
}

async function transfer(connection: Connection, { writer, number, source, target }: Transfer): Promise<void> {
    // In one order, so that no two transfers wait for each other.
    const changes = [
        [source, -1],
        [target, 1],
    ].sort(([a], [b]) => a - b);
    const query = (sql: string, values: number[] = []) =>
        connection.query({ sql, values, timeout: statementMilliseconds });
    await query("BEGIN");
    for (const [account, change] of changes) {
        await query("UPDATE bank.accounts SET balance = balance + ? WHERE id = ?", [change, account]);
    }
    await query("INSERT INTO bank.ledger VALUES (?, ?, ?, ?)", [writer, number, source, target]);
    await query("COMMIT");
}

function nameOf(error: unknown): string {
    const { code = String(error), errno } = error as { code?: string; errno?: number };
    return errno === undefined || errno < 0 ? code : `${code} (${errno})`;
}

/** What no operation may do to clients. */
export function assertServed({ acknowledged, sums, wrongSums }: ClientsReport): void {
    assert.ok(acknowledged > 0 && sums > 0, "clients were served");
    assert.equal(wrongSums, 0, "sums of all balances that were wrong");
}

/** What no operation may do to data. */
export function assertNothingLost({ checked, lost, unbalanced }: Audit): void {
    assert.deepEqual(
        { lost: lost.slice(0, 5), unbalanced: unbalanced.slice(0, 5) },
        { lost: [], unbalanced: [] },
        `of ${checked} acknowledged transfers ${lost.length} are lost, and ${unbalanced.length} accounts are wrong`,
    );
}
