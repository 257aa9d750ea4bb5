import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, closeSync, rmSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { commandInOneFile } from "../../support/inOneFile";
import { basic } from "../../unit/plan/livePlan";

const repository = path.resolve(__dirname, "../../..");

describe("pulumi-tidb as a process, if its output cannot be written", function () {
    this.timeout(60_000);
    let folder: string;
    let api: http.Server;

    before(async () => {
        folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-output-"));
        // An API server without objects: a first deployment. It keeps connections open, as port-forwards are.
        api = http.createServer((request, response) => {
            const status = { kind: "Status", status: "Failure", code: 404, reason: "NotFound", message: request.url };
            response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(status));
        });
        api.keepAliveTimeout = 120_000;
        await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
        const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
        writeFileSync(path.join(folder, "cluster.json"), JSON.stringify(basic()));
        writeFileSync(
            path.join(folder, "kubeconfig"),
            JSON.stringify({
                apiVersion: "v1",
                kind: "Config",
                clusters: [{ name: "staging", cluster: { server, "insecure-skip-tls-verify": true } }],
                users: [{ name: "reader", user: {} }],
                contexts: [{ name: "staging", context: { cluster: "staging", user: "reader" } }],
                "current-context": "staging",
            }),
        );
    });
    after(() => {
        api.close(() => undefined);
        api.closeAllConnections();
        rmSync(folder, { recursive: true });
    });

    /** Runs a command whose standard output is a file, and returns its exit code and its errors. */
    async function run(words: readonly string[], output: string): Promise<{ code: number | null; errors: string }> {
        const file = openSync(output, "w");
        const program = [commandInOneFile(), ...words, path.join(folder, "cluster.json")];
        const child = spawn(process.execPath, program, {
            cwd: repository,
            env: { ...process.env, KUBECONFIG: path.join(folder, "kubeconfig") },
            stdio: ["ignore", file, "pipe"],
        });
        closeSync(file);
        let errors = "";
        child.stderr?.on("data", (data: Buffer) => (errors += data.toString()));
        const code = await new Promise<number | null>((resolve, reject) =>
            child.on("error", reject).on("close", resolve),
        );
        return { code, errors };
    }

    for (const words of [["plan"], ["plan", "--output", "markdown"], ["render"], ["convert"]]) {
        it(`${words.join(" ")} ends with 1 and one line on a full disk`, async () => {
            const { code, errors } = await run(words, "/dev/full");
            assert.match(errors, /(^|\n)error: the output cannot be written: [^\n]+\n$/);
            assert.doesNotMatch(errors, /\n {4}at /);
            assert.equal(code, 1);
        });
    }

    it("plan ends with 0 if it can write", async () => {
        assert.deepEqual(await run(["plan"], "/dev/null"), { code: 0, errors: "" });
    });
});
