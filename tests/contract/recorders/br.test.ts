import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import type { PdSimulator } from "pulumi-tidb-sandbox";
import flags from "../../../sandbox/recorders/flags/br.json";
import { parseArguments } from "../../../sandbox/recorders/parseArguments";
import {
    type BrRun,
    type BrStage,
    customers,
    openBrStage,
    orders,
    pdOf,
    toldOf,
} from "../../support/recorders/brStage";

const real = JSON.parse(fs.readFileSync(path.resolve(__dirname, "../../fixtures/br/refusals.json"), "utf8")) as {
    source: string;
    answers: { args: string[]; error: string }[];
};

describe(`the recorder of br: its refusals against those of ${real.source.split(":")[0]}`, () => {
    real.answers.forEach(({ args, error }) => {
        it(`br ${args.join(" ")}: ${error}`, () => {
            // Go says why a value has the wrong form.
            const isRefused = ({ message }: Error) => error === message || error.startsWith(`${message}: `);
            assert.throws(() => parseArguments("br", flags, args), isRefused);
        });
    });
});

describe("the recorder of br", function () {
    this.timeout(120_000);
    let stage: BrStage;
    let cluster: PdSimulator;
    let place: string;

    before(async () => {
        stage = openBrStage();
        cluster = await stage.startCluster();
        [orders, customers].forEach((table) => cluster.putTable(table));
    });
    after(() => stage.end());
    beforeEach(() => (place = fs.mkdtempSync(path.join(stage.folder, "backup-"))));
    afterEach(() => stage.recorder.setFault(undefined));

    const run = (command: string, of = cluster): Promise<BrRun> =>
        stage.run([...command.split(" "), "-u", pdOf(of), "-s", `local://${place}`]);
    const written = () =>
        fs
            .readdirSync(place, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map(({ name }) => name);

    it("records a backup, whose marker a further backup refuses, and a restore reads", async () => {
        const since = stage.recorder.calls().length;
        const target = await stage.startCluster();
        assert.match((await run("restore full", target)).errors, /^Error: load backupmeta failed: open .*no such file/);
        assert.equal((await run("backup full --checksum=true")).code, 0);
        const again = await run("backup full");
        assert.match(
            toldOf(again),
            /"Error: backup meta file exists in .*\/backupmeta.*\[BR:Common:ErrInvalidArgument\]/,
        );
        assert.equal((await run("restore full", target)).code, 0);
        assert.deepEqual(target.tables(), [orders, customers]);
        const calls = stage.recorder.calls().slice(since);
        assert.deepEqual(
            calls.map(({ exitCode }) => exitCode),
            [1, 0, 1, 0],
        );
        const common = ["-u", pdOf(cluster), "-s", `local://${place}`];
        assert.deepEqual(calls[1].args, ["backup", "full", "--checksum=true", ...common]);
        assert.deepEqual(calls[1].variables, ["BR_LOG_TO_TERM"]);
    });

    it("plays an exit code with its words, at once or half way, and the update shows them", async () => {
        stage.recorder.setFault({ kind: "fails", words: "ExpiredToken: The token has expired.\n\tstatus code: 400" });
        const refused = await run("backup full");
        assert.deepEqual([refused.code, written()], [1, []]);
        assert.match(toldOf(refused), /exit code 1 .*"Error: ExpiredToken: The token has expired. status code: 400"/);
        stage.recorder.setFault({ kind: "fails", words: "no space left on device", exitCode: 3, halfWay: true });
        const full = await run("backup full");
        assert.equal(full.code, 3);
        assert.match(toldOf(full), /exit code 3 .*"Error: no space left on device"/);
        assert.deepEqual(written().sort(), ["1_write.sst", "backup.lock", "checkpoint.lock"]);
    });

    it("killed half way, has no exit code and no marker, and keeps its lock", async () => {
        stage.recorder.setFault({ kind: "killed" });
        const killed = await run("backup full");
        assert.deepEqual([killed.code, killed.signal, written().includes("backupmeta")], [null, "SIGKILL", false]);
        assert.match(toldOf(killed), /^it failed .*container \S+ of pod backup-monday-x ended with exit code 137/);
        assert.equal(stage.recorder.calls().at(-1)?.exitCode, undefined);
        stage.recorder.setFault(undefined);
        assert.match((await run("backup full")).errors, /^Error: The existing lock will expire in \d+ seconds/);
    });

    it("ends with a code that br has not, if it does not do what it is asked", async () => {
        for (const args of [
            ["backup", "full", "--storage=gcs://backups/full"],
            ["log", "status"],
        ]) {
            assert.equal((await stage.run([...args, "-u", pdOf(cluster)])).code, 70);
        }
    });
});
