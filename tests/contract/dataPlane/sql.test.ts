import assert from "node:assert/strict";
import { type Connection, createConnection } from "mysql2/promise";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";
import { systemClock } from "../../../sandbox/dataPlane/clock";
import { type SqlListener, startSqlListener } from "../../../sandbox/dataPlane/sqlListener";

describe("the SQL port of a simulated TiDB", () => {
    const { state, cluster } = settledCluster({ tidb: 1 });
    let listener: SqlListener;

    before(async () => {
        listener = await startSqlListener(state, "basic-tidb-0", systemClock);
    });
    after(() => listener.close());
    beforeEach(() => cluster.setRootPassword(""));

    async function as<T>(password: string, work: (connection: Connection) => Promise<T>, user = "root"): Promise<T> {
        const connection = await createConnection({ host: "127.0.0.1", port: listener.port, user, password });
        try {
            return await work(connection);
        } finally {
            connection.destroy();
        }
    }
    const select = async (connection: Connection) => (await connection.query("SELECT 1"))[0];
    const denied = { errno: 1045 };

    it("accepts root without a password at first, and nobody else", async () => {
        assert.deepEqual(await as("", select), [{ "1": 1 }]);
        await assert.rejects(as("guess", select), denied);
        await assert.rejects(as("", select, "somebody"), denied);
    });

    for (const sql of ["ALTER USER 'root'@'%' IDENTIFIED BY 'Secret-1'", "SET PASSWORD FOR 'root'@'%' = 'Secret-1'"]) {
        it(`sets a password for root that outlives the pod: ${sql.slice(0, 12)}`, async () => {
            await as("", (connection) => connection.query(sql));
            assert.equal(cluster.rootPassword(), "Secret-1");
            cluster.stopPod("basic-tidb-0");
            await assert.rejects(as("Secret-1", select), /Connection lost|ECONNRESET/);
            cluster.startPod("basic-tidb-0");
            await assert.rejects(as("", select), denied);
            await assert.rejects(as("secret-1", select), denied);
            assert.deepEqual(await as("Secret-1", select), [{ "1": 1 }]);
        });
    }

    it("answers everything else with an SQL error", async () => {
        await assert.rejects(
            as("", (connection) => connection.query("DROP DATABASE test")),
            { errno: 1064 },
        );
    });
});
