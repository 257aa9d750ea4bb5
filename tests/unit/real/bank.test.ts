import * as assert from "node:assert/strict";
import { accountIds, auditBank, balancesAfter, openingBalance, total, type Transfer } from "../../support/real/bank";

const [first, second, third] = accountIds;
const sent = (number: number, source: number, target: number): Transfer => ({ writer: 1, number, source, target });
const ledger = [sent(1, first, second), sent(2, second, third), sent(3, first, third)];

describe("the balances after the transfers of a ledger", () => {
    it("are those at the opening, less what has left each account, with what has come to it", () => {
        const balances = balancesAfter(ledger);
        assert.deepEqual(
            [first, second, third, accountIds[3]].map((account) => balances.get(account)),
            [openingBalance - 2, openingBalance, openingBalance + 2, openingBalance],
        );
        assert.equal(balances.size, accountIds.length);
        assert.equal(
            [...balances.values()].reduce((sum, balance) => sum + balance, 0),
            total,
        );
    });
});

describe("an audit of the bank", () => {
    const balances = balancesAfter(ledger);

    it("finds nothing where the ledger has what was acknowledged, and more that was not", () => {
        const acknowledged = ledger.slice(1);
        assert.deepEqual(auditBank({ balances, ledger }, acknowledged), { checked: 2, lost: [], unbalanced: [] });
    });

    it("finds an acknowledged transfer that is not in the ledger, also if its effects are gone too", () => {
        const rest = ledger.slice(1);
        const { lost, unbalanced } = auditBank({ balances: balancesAfter(rest), ledger: rest }, ledger);
        assert.deepEqual([lost, unbalanced], [[ledger[0]], []]);
    });

    it("finds a transfer whose line is there, and one of whose effects is lost", () => {
        const stored = new Map(balances).set(second, openingBalance - 1);
        assert.deepEqual(auditBank({ balances: stored, ledger }, ledger), {
            checked: 3,
            lost: [],
            unbalanced: [{ account: second, stored: openingBalance - 1, computed: openingBalance }],
        });
    });

    it("finds two errors that cancel out in the sum", () => {
        const stored = new Map(balances).set(first, openingBalance - 1).set(third, openingBalance + 1);
        const { unbalanced } = auditBank({ balances: stored, ledger }, ledger);
        assert.deepEqual(
            unbalanced.map(({ account }) => account),
            [first, third],
        );
    });

    it("finds a line with other accounts than were acknowledged", () => {
        const other = [sent(1, second, first), ...ledger.slice(1)];
        const { lost } = auditBank({ balances: balancesAfter(other), ledger: other }, ledger);
        assert.deepEqual(lost, [ledger[0]]);
    });

    it("takes the numbers of each writer for themselves", () => {
        const theirs = { ...ledger[0], writer: 2 };
        assert.deepEqual(auditBank({ balances, ledger }, [theirs]).lost, [theirs]);
    });

    it("finds accounts that are missing, and those that never were", () => {
        const stored = new Map(balances).set(7, 0);
        stored.delete(first);
        assert.deepEqual(auditBank({ balances: stored, ledger }, ledger).unbalanced, [
            { account: first, stored: undefined, computed: openingBalance - 2 },
            { account: 7, stored: 0, computed: undefined },
        ]);
    });
});
