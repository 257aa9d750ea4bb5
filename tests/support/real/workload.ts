import * as assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, RowDataPacket } from "mysql2/promise";

/** What the clients saw. */
export interface WorkloadReport {
    seconds: number;
    /** Transfers that were acknowledged. */
    acknowledged: number;
    /** Acknowledged transfers that cannot be read back. */
    lost: number;
    /** Sums of all balances that were read, and those that were not what they must be. */
    sums: number;
    wrongSums: number;
    /** Errors by their code. */
    errors: Record<string, number>;
    /** The longest time between two acknowledged transfers of one account, in seconds. */
    longestGap: number;
}

/** A workload that runs until it is stopped. */
export interface Workload {
    stop(): Promise<WorkloadReport>;
}

const accounts = 400;
const writers = 8;
const regions = 40;
const balance = 1000;
/** TiDB splits a table only into regions of at least 1,000 ids. */
const idsApart = 1000;
const retryMilliseconds = 100;
/** After this time a statement counts as failed. */
export const statementMilliseconds = 60_000;

/** Creates the accounts, spread over many regions, and the ledger. */
export async function prepareAccounts(connect: () => Promise<Connection>): Promise<void> {
    const connection = await connect();
    try {
        await connection.query("CREATE DATABASE IF NOT EXISTS bank");
        await connection.query("CREATE TABLE bank.accounts (id INT PRIMARY KEY, balance INT NOT NULL)");
        await connection.query(
            "CREATE TABLE bank.ledger (writer INT, number INT, PRIMARY KEY (writer, number) NONCLUSTERED)",
        );
        await connection.query(`SPLIT TABLE bank.accounts BETWEEN (0) AND (${accounts * idsApart}) REGIONS ${regions}`);
        const rows = Array.from({ length: accounts }, (_, account) => `(${account * idsApart}, ${balance})`);
        await connection.query(`INSERT INTO bank.accounts VALUES ${rows.join(", ")}`);
    } finally {
        connection.destroy();
    }
}

/**
 * Moves money between accounts: each writer from an account in a region of its own to any other, with a line in the ledger. A reader compares the
 * sum of all balances. @param first the number of the first line of each writer: larger than those of the workloads before.
 */
export function startWorkload(connect: () => Promise<Connection>, first: number): Workload {
    const errors: Record<string, number> = {};
    const acknowledged: number[][] = Array.from({ length: writers }, () => []);
    let sums = 0;
    let wrongSums = 0;
    let longestGap = 0;
    let isOver = false;
    const began = Date.now();
    const each = async (work: (connection: Connection) => Promise<void>): Promise<void> => {
        let connection: Connection | undefined;
        while (!isOver) {
            try {
                connection ??= await connect();
                await work(connection);
            } catch (error) {
                const { code = String(error), errno } = error as { code?: string; errno?: number };
                const name = errno === undefined || errno < 0 ? code : `${code} (${errno})`;
                errors[name] = (errors[name] ?? 0) + 1;
                connection?.destroy();
                connection = undefined;
                await sleep(retryMilliseconds);
            }
        }
        connection?.destroy();
    };
    const write = async (writer: number): Promise<void> => {
        const own = Math.floor((writer * accounts) / writers);
        let number = first;
        let last = Date.now();
        await each(async (connection) => {
            number++;
            const other = (own + 1 + Math.floor(Math.random() * (accounts - 1))) % accounts;
            // In one order, so that no two transfers wait for each other.
            const changes = [
                [own, -1],
                [other, 1],
            ].sort(([a], [b]) => a - b);
            await connection.query("BEGIN");
            for (const [account, change] of changes) {
                await connection.query("UPDATE bank.accounts SET balance = balance + ? WHERE id = ?", [
                    change,
                    account * idsApart,
                ]);
            }
            await connection.query("INSERT INTO bank.ledger VALUES (?, ?)", [writer, number]);
            await connection.query("COMMIT");
            acknowledged[writer].push(number);
            longestGap = Math.max(longestGap, Date.now() - last);
            last = Date.now();
        });
        longestGap = Math.max(longestGap, Date.now() - last);
    };
    const read = (): Promise<void> =>
        each(async (connection) => {
            const [rows] = await connection.query<RowDataPacket[]>("SELECT SUM(balance) AS total FROM bank.accounts");
            sums++;
            wrongSums += Number(rows[0].total) === accounts * balance ? 0 : 1;
            await sleep(50);
        });
    const all = Promise.all([read(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
    return {
        stop: async () => {
            isOver = true;
            await all;
            const seconds = (Date.now() - began) / 1000;
            const connection = await connect();
            const [rows] = await connection.query<RowDataPacket[]>(
                "SELECT writer, number FROM bank.ledger WHERE number > ?",
                [first],
            );
            connection.destroy();
            const found = new Set(rows.map((row) => `${row.writer}/${row.number}`));
            const missing = acknowledged.flatMap((numbers, writer) =>
                numbers.filter((number) => !found.has(`${writer}/${number}`)),
            );
            return {
                seconds,
                acknowledged: acknowledged.flat().length,
                lost: missing.length,
                sums,
                wrongSums,
                errors,
                longestGap: longestGap / 1000,
            };
        },
    };
}

/** What no operation may do to data. */
export function assertNothingLost({ acknowledged, lost, wrongSums, sums }: WorkloadReport): void {
    assert.ok(acknowledged > 0 && sums > 0, "clients were served");
    assert.deepEqual({ lost, wrongSums }, { lost: 0, wrongSums: 0 });
}
