/** A row of the ledger: 1 is moved from an account to another one. */
export interface Transfer {
    writer: number;
    /** Of the transfers of its writer. */
    number: number;
    source: number;
    target: number;
}

/** What the tables hold at one time. */
export interface BankState {
    /** By the id of the account. */
    balances: ReadonlyMap<number, number>;
    ledger: readonly Transfer[];
}

/** What is wrong with the tables. */
export interface Audit {
    /** How many acknowledged transfers were looked for. */
    checked: number;
    /** Those that the ledger does not have as they were acknowledged. */
    lost: Transfer[];
    /** Accounts whose balance is not what the ledger makes of it, or that are missing or too many. */
    unbalanced: { account: number; stored: number | undefined; computed: number | undefined }[];
}

/** TiDB splits a table only into regions of at least 1,000 ids. */
export const idsApart = 1000;
export const accountIds: readonly number[] = Array.from({ length: 400 }, (_, index) => index * idsApart);
/** Of each account before the first transfer. */
export const openingBalance = 1000;
export const total = accountIds.length * openingBalance;

/** Returns the balance of each account after all transfers of a ledger. */
export function balancesAfter(ledger: readonly Transfer[]): Map<number, number> {
    const balances = new Map(accountIds.map((account) => [account, openingBalance]));
    for (const { source, target } of ledger) {
        balances.set(source, (balances.get(source) ?? 0) - 1);
        balances.set(target, (balances.get(target) ?? 0) + 1);
    }
    return balances;
}

/**
 * Compares the tables with the transfers that clients know to be done, and the balances with the ledger: a transfer of which the effects were lost
 * in part leaves an account unbalanced. A transfer that was not acknowledged may be in the ledger or not.
 */
export function auditBank({ balances, ledger }: BankState, acknowledged: readonly Transfer[]): Audit {
    const rows = new Map(ledger.map((row) => [keyOf(row), row]));
    const lost = acknowledged.filter((sent) => {
        const row = rows.get(keyOf(sent));
        return row?.source !== sent.source || row.target !== sent.target;
    });
    const after = balancesAfter(ledger);
    const accounts = [...new Set([...after.keys(), ...balances.keys()])];
    const unbalanced = accounts
        .map((account) => ({ account, stored: balances.get(account), computed: after.get(account) }))
        .filter(({ stored, computed }) => stored !== computed);
    return { checked: acknowledged.length, lost, unbalanced };
}

function keyOf({ writer, number }: Transfer): string {
    return `${writer}/${number}`;
}
