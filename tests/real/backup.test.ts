import * as assert from "node:assert/strict";
import * as path from "node:path";
import type { RowDataPacket } from "mysql2/promise";
import { assertOk, assertUnchanged, until } from "../support/e2e/expect";
import { clusterConfig, openStack, type TestStack } from "../support/e2e/stack";
import { auditBank, type BankState, type Transfer } from "../support/real/bank";
import { realSpec } from "../support/real/clusterSpec";
import { realProgram } from "../support/real/realCluster";
import { describeOnRealCluster } from "../support/real/realSuite";
import { assertNothingLost, readBank, untilConnected } from "../support/real/workload";

const namespace = "backup";
const program = path.resolve(__dirname, "../fixtures/programs/backup");
const br = realProgram("br");
let stack: TestStack;
let storage: { s3: object; keys: string };
/** What the tables held at the time of the backup. */
let saved: BankState;
let acknowledgedBefore: readonly Transfer[];

describeOnRealCluster(
    "backup and restore by the real br",
    {
        namespace,
        sandbox: { programs: { br: br ?? "" }, s3: {} },
        whyNot: br === undefined ? "NOT RUN: no program br is in PULUMI_TIDB_PROCESSES" : undefined,
        open: async (real) => {
            await real.kubernetes.createNamespace(namespace);
            stack = openStack(real, namespace, program, "demo");
            const { endpoint, region, key, createBucket } = real.own!.s3!;
            await createBucket("backups");
            const s3 = { provider: "ceph", endpoint, region, bucket: "backups", prefix: "bank", secretName: "keys" };
            storage = { s3, keys: JSON.stringify(key) };
            return undefined;
        },
    },
    ({ suite, deployment, operation }) => {
        deployment(() => up({}));

        operation("a full backup", 0, async () => {
            const bank = suite().bank!;
            await until("the bank has work to lose", () => bank.acknowledged().length > 200);
            await until("TiDB can read the past", hasSafePoint, 240_000);
            acknowledgedBefore = bank.acknowledged();
            return up({ backup: { spec: { s3: storage.s3 } } });
        });

        it("has a timestamp at which all transfers before it are there", async () => {
            saved = await readBank(suite().connect, await backupTime());
            assertNothingLost(auditBank(saved, acknowledgedBefore));
            assert.ok(saved.ledger.length < suite().bank!.acknowledged().length, "clients worked after it, too");
        });

        it("brings dropped tables back as they were at that timestamp", async () => {
            const connection = await untilConnected(suite().connect);
            await connection.query("DROP DATABASE bank");
            connection.destroy();
            const both = { backup: { spec: { s3: storage.s3 } }, restore: { spec: { s3: storage.s3 } } };
            assertOk(await up(both));
            assert.deepEqual(sorted(await readBank(suite().connect)), sorted(saved));
            assertUnchanged(await up(both));
        });

        function up(more: { backup?: object; restore?: object }) {
            const config = Object.entries(more).map(([key, value]) => [key, JSON.stringify(value)]);
            const cluster = { ...clusterConfig(namespace, realSpec()), keys: storage.keys };
            return stack.run("up", { skipPreview: true, config: { ...cluster, ...Object.fromEntries(config) } });
        }

        /** TiDB reads no past before its first garbage collection. */
        async function hasSafePoint(): Promise<boolean> {
            const connection = await untilConnected(suite().connect);
            const [rows] = await connection.query<RowDataPacket[]>(
                "SELECT 1 FROM mysql.tidb WHERE variable_name = 'tikv_gc_safe_point'",
            );
            connection.destroy();
            return rows.length > 0;
        }

        /** The time of which the backup is, as br has logged it. */
        async function backupTime(): Promise<bigint> {
            const log = await suite().real.kubernetes.jobLog(namespace, "backup-nightly");
            const [, time] = /BackupTS=(\d+)/.exec(log) ?? [];
            assert.ok(time, `br does not log its BackupTS: ${log.slice(-1_000)}`);
            return BigInt(time);
        }
    },
);

function sorted({ balances, ledger }: BankState): object {
    return {
        balances: [...balances].sort(([a], [b]) => a - b),
        ledger: [...ledger].sort((a, b) => a.writer - b.writer || a.number - b.number),
    };
}
