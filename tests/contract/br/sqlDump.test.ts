import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { checkBr } from "../../../components/br/checkBr";
import { renderBr } from "../../../components/br/renderBr";
import { type ContainerRun, type PlayedContainer, runContainer } from "../../support/recorders/runContainer";
import { type SqlTools, writeSqlTools } from "../../support/recorders/sqlTools";

const found = ["dash", "bash"].filter((shell) => spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0);
const shells = found.length > 0 ? found : ["sh"];

const reached = { host: "basic-tidb.db", port: 4000, user: "backup" };
const shop = { "shop.orders": ["1,apples", "2,pears"], "shop.customers": ["1,Ann"], "diary.notes": ["1,rain"] };

/** Passwords that a shell, TOML or an argument could take for something else. */
const passwords: Readonly<Record<string, string>> = {
    "none at all": "",
    quotes: `a"b'c"""d'''`,
    backslashes: "\\a\\\\n\\u0041\\",
    "new lines": "one\ntwo\r\nthree\n",
    "tabs and control characters": "\ta\u0001b\u001bc\u007f",
    "what a shell expands": "$HOME $(id) `id` ${PATH} * ? ~ !! %s %04X &|;<>#",
    "what looks like a flag": "--output=/tmp/elsewhere",
    spaces: "  a  b ",
    "other letters": "pässwörd-密码-🔑",
};

/** The containers of the Jobs are processes with the real shell, and recorders in the place of Dumpling and TiDB Lightning. */
describe("the Jobs of a Backup by Dumpling and of a Restore by TiDB Lightning", function () {
    this.timeout(120_000);
    let folder: string;
    let tools: SqlTools;
    let dump: string;
    let cases = 0;

    before(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-sql-"));
        tools = writeSqlTools(folder);
    });
    after(() => fs.rmSync(folder, { recursive: true, force: true }));
    beforeEach(() => (dump = `dump-${++cases}`));

    function container(kind: "Backup" | "Restore", spec: object = {}): PlayedContainer {
        const local = { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: folder }, prefix: dump };
        const access = { [kind === "Backup" ? "from" : "to"]: { ...reached, secretName: "sql-secret" } };
        const manifest = checkBr(kind, {
            metadata: { name: "monday", namespace: "db" },
            spec: { local, ...access, ...spec },
        });
        const { job } = renderBr(kind, manifest, { name: "basic", namespace: "db", version: "v8.5.3", tls: false });
        return (job.spec as { template: { spec: { containers: [PlayedContainer] } } }).template.spec.containers[0];
    }

    /** Kubernetes gives the container what the Secret has. */
    function run(shell: string, played: PlayedContainer, password: string): Promise<ContainerRun> {
        const own = fs.mkdtempSync(path.join(folder, "run-"));
        return runContainer(shell, played, {
            folder: own,
            programs: tools.programs,
            variables: { TIDB_PASSWORD: password },
        });
    }

    for (const shell of shells) {
        it(`have scripts that ${shell} can read`, () => {
            for (const kind of ["Backup", "Restore"] as const) {
                const script = container(kind).args[0].replaceAll("$$", "$");
                const { status, stderr } = spawnSync(shell, ["-n", "-c", script], { encoding: "utf8" });
                assert.deepEqual([status, stderr], [0, ""]);
            }
        });

        for (const [what, password] of Object.entries(passwords)) {
            it(`bring all rows over under ${shell}, with a password of ${what}`, async () => {
                tools.setTidb({ ...reached, password, tables: shop });
                const dumped = await run(shell, container("Backup"), password);
                assert.equal(dumped.code, 0, dumped.output);
                assert.ok(fs.existsSync(path.join(folder, dump, "metadata")));
                tools.setTidb({ ...reached, password, tables: {} });
                const loaded = await run(shell, container("Restore"), password);
                assert.equal(loaded.code, 0, loaded.output);
                assert.deepEqual(tools.tidb().tables, shop);
                // The tool has printed nothing but its own words: no status address, which would serve the command line.
                assert.deepEqual(
                    [dumped.output, loaded.output],
                    ["dump data successfully, dumpling will exit now\n", "tidb lightning exit successfully\n"],
                );
            });
        }
    }

    const [shell] = shells;

    it("fail with the tool's words if the password is wrong", async () => {
        tools.setTidb({ ...reached, password: "right", tables: shop });
        for (const kind of ["Backup", "Restore"] as const) {
            const { code, output } = await run(shell, container(kind), "wrong");
            assert.equal(code, 1);
            assert.match(output, /Access denied for user 'backup'/);
        }
        assert.ok(!fs.existsSync(path.join(folder, dump)));
    });

    it("take only what a filter names", async () => {
        tools.setTidb({ ...reached, password: "x", tables: shop });
        assert.equal((await run(shell, container("Backup", { tableFilter: ["diary.*"] }), "x")).code, 0);
        assert.deepEqual(fs.readdirSync(path.join(folder, dump)).sort(), [
            "diary-schema-create.sql",
            "diary.notes-schema.sql",
            "diary.notes.000000000.sql",
            "metadata",
        ]);
    });

    it("fail if the last option lacks its value: it does not take the place of the dump for it", async () => {
        tools.setTidb({ ...reached, password: "x", tables: shop });
        const { code, output } = await run(shell, container("Backup", { dumpling: { options: ["--where"] } }), "x");
        assert.equal(code, 2);
        assert.match(output, /flag needs an argument: --where/);
    });
});
