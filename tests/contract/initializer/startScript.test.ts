import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { startScript } from "../../../components/initializer/startScript";
import { type SqlRecorder, sqlRecorder } from "../../support/sqlRecorder";
import { repeats } from "../../support/repeats";

/** Runs the program of the initializer's Job for real, with a module MySQLdb that records what it is told. */
describe("the program of the initializer's Job", () => {
    let folder: string;
    let recorder: SqlRecorder;
    beforeEach(() => {
        folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-init-"));
        recorder = sqlRecorder();
    });
    afterEach(() => {
        rmSync(folder, { recursive: true });
        recorder.close();
    });

    const run = (
        {
            passwords,
            sql,
            tls,
            permitHost = "%",
            wait = 5,
        }: {
            passwords?: Record<string, string>;
            sql?: string;
            tls?: string[];
            permitHost?: string;
            wait?: number;
        },
        ...more: string[]
    ): { status: number | null; output: string } => {
        const script = path.join(folder, "start_script.py");
        const passwordFolder = path.join(folder, "passwords");
        const sqlFile = path.join(folder, "init.sql");
        writeFileSync(script, startScript);
        mkdirSync(passwordFolder, { recursive: true });
        Object.entries(passwords ?? {}).forEach(([user, text]) => writeFileSync(path.join(passwordFolder, user), text));
        writeFileSync(sqlFile, sql ?? "");
        tls?.forEach((name) => writeFileSync(path.join(folder, name), ""));
        const { status, stdout, stderr } = spawnSync(
            recorder.python,
            [
                script,
                "--host=basic-tidb",
                "--port=4000",
                `--wait-seconds=${wait}`,
                `--permit-host=${permitHost}`,
                ...(passwords ? [`--passwords=${passwordFolder}`] : []),
                ...(sql === undefined ? [] : [`--sql=${sqlFile}`]),
                ...(tls ? [`--tls=${folder}`] : []),
                ...more,
            ],
            { encoding: "utf8" },
        );
        return { status, output: stdout + stderr };
    };

    it("sets passwords, creates users, runs SQL and restricts root, in this order", () => {
        const passwords = { root: "top'secret\nsecond line", app: "a%s", ".hidden": "x" };
        const { status, output } = run({
            passwords,
            sql: "create database one;\ncreate table\n one.t (a int);\n",
            permitHost: "10.244.%",
        });
        assert.equal(status, 0, output);
        const { statements, accounts, logins } = recorder.read();
        assert.deepEqual(statements, [
            "create user if not exists 'app'@'10.244.%' identified by 'a%s'",
            "alter user 'app'@'10.244.%' identified by 'a%s'",
            "set password = 'top\\'secret'",
            "create database one",
            "create table\n one.t (a int)",
            "update mysql.user set Host = '10.244.%' where User = 'root'",
            "flush privileges",
        ]);
        assert.deepEqual(Object.keys(accounts), ["app@10.244.%", "root@10.244.%"]);
        assert.deepEqual(logins, [{ host: "basic-tidb", port: 4000, usedPassword: false, tls: [] }]);
        assert.ok(!output.includes("secret"), "the output has no password");
    });

    it("logs in with the Secret's password when root has it already", () => {
        recorder.write({ accounts: { "root@%": "known" } });
        const { status, output } = run({ passwords: { root: "known" }, sql: "select 1;" });
        assert.equal(status, 0, output);
        assert.equal(recorder.read().logins[0].usedPassword, true);
    });

    it("gives a user that exists the Secret's password", () => {
        recorder.write({ accounts: { "root@%": "", "app@%": "old" } });
        assert.equal(run({ passwords: { app: "new" } }).status, 0);
        assert.equal(recorder.read().accounts["app@%"], "new");
    });

    it("fails, and says why, if root has another password", () => {
        recorder.write({ accounts: { "root@%": "other" } });
        for (const given of [{ passwords: { root: "known" } }, { sql: "select 1;" }]) {
            const { status, output } = run(given);
            assert.equal(status, 1);
            repeats(output, "1045");
        }
        assert.deepEqual(recorder.read().statements, []);
    });

    it("waits for TiDB, and fails when the time is over", () => {
        recorder.write({ down: 2 });
        const { status, output } = run({ sql: "select 1;" });
        assert.equal(status, 0, output);
        assert.equal(output.match(/waiting for TiDB/g)?.length, 1, "a message is not repeated");
        recorder.write({ down: 99 });
        const late = run({ sql: "select 1;", wait: 1 });
        assert.equal(late.status, 1);
        assert.match(late.output, /Can't connect to MySQL server/);
    });

    it("fails with the error of a statement in the middle", () => {
        const { status, output } = run({ sql: "create database one; this fails; create database two;" });
        assert.equal(status, 1);
        assert.match(output, /You have an error in your SQL syntax near "this fails"/);
        assert.deepEqual(recorder.read().statements, ["create database one"]);
    });

    it("uses TLS with the certificates, and does not verify TiDB if told so", () => {
        const tls = ["ca.crt", "tls.crt", "tls.key"];
        assert.equal(run({ sql: "select 1;", tls }).status, 0);
        assert.equal(run({ sql: "select 1;", tls: tls.slice(1) }, "--tls-no-ca").status, 0);
        assert.deepEqual(
            recorder.read().logins.map((login) => login.tls),
            [
                ["ca", "cert", "key"],
                ["cert", "key"],
            ],
        );
    });
});
