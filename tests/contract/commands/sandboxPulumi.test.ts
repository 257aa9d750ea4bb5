import { Command } from "commander";
import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { generate } from "selfsigned";
import { layoutOf } from "../../../sandbox/controlPlane/layout";
import { startMark } from "../../../sandbox/controlPlane/processes";
import { claimFolder, saveState } from "../../../sandbox/controlPlane/registry";
import { addPulumiCommand } from "../../../sandbox/pulumiCommand";

const repository = path.resolve(__dirname, "../../..");

/** An API server that has no objects, creates what it is told to, and notes each request with its token. */
async function apiServer() {
    const requests: string[] = [];
    const altNames = [{ type: 7 as const, ip: "127.0.0.1" }];
    const { private: key, cert } = await generate([{ name: "commonName", value: "kubernetes" }], {
        extensions: [{ name: "subjectAltName", altNames }],
    });
    const server = https.createServer({ key, cert }, (request, response) => {
        requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        let body = "";
        request.on("data", (data: Buffer) => (body += data.toString()));
        request.on("end", () => {
            const answer = (status: number, object: object): void => {
                response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(object));
            };
            if (request.url === "/api/v1") {
                const verbs = ["create", "get", "patch", "delete"];
                const resources = [{ name: "configmaps", namespaced: true, kind: "ConfigMap", verbs }];
                answer(200, { kind: "APIResourceList", groupVersion: "v1", resources });
            } else if (request.method === "GET") {
                answer(404, { kind: "Status", status: "Failure", code: 404, reason: "NotFound", message: "not found" });
            } else {
                const object = JSON.parse(body) as { metadata: object };
                answer(201, { ...object, metadata: { ...object.metadata, uid: "1", resourceVersion: "1" } });
            }
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { requests, server, url: `https://127.0.0.1:${port}`, certificate: cert };
}

describe("pulumi-tidb sandbox pulumi, with a real cluster as the current one of the exported kubeconfig", function () {
    this.timeout(60_000);
    const variables = ["KUBECONFIG", "PULUMI_TIDB_CACHE"] as const;
    const earlier = variables.map((name) => process.env[name]);
    let folder: string;
    let box: string;
    let program: string;
    let exported: string;
    let sandbox: Awaited<ReturnType<typeof apiServer>>;
    let prod: Awaited<ReturnType<typeof apiServer>>;

    beforeEach(async () => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-confined-"));
        [sandbox, prod] = [await apiServer(), await apiServer()];
        box = path.join(folder, "sandboxes", "one");
        fs.mkdirSync(path.dirname(box));
        saveState({ ...(await claimFolder("one", box)), ready: true, server: sandbox.url });
        const { certificates, servingCertificate, tokens, kubeconfig } = layoutOf(box);
        fs.mkdirSync(certificates);
        fs.writeFileSync(servingCertificate, sandbox.certificate);
        fs.writeFileSync(tokens, `sandbox-token,sandbox-admin,sandbox-admin,"system:masters"\n`);
        exported = kubeconfig;
        const clusters = { "sandbox-one": sandbox, prod };
        fs.writeFileSync(
            exported,
            JSON.stringify({
                apiVersion: "v1",
                kind: "Config",
                clusters: Object.entries(clusters).map(([name, { url, certificate }]) => ({
                    name,
                    cluster: {
                        server: url,
                        "certificate-authority-data": Buffer.from(certificate).toString("base64"),
                    },
                })),
                users: Object.keys(clusters).map((name) => ({ name, user: { token: `${name}-token` } })),
                contexts: Object.keys(clusters).map((name) => ({ name, context: { cluster: name, user: name } })),
                "current-context": "prod",
            }),
        );
        Object.assign(process.env, { KUBECONFIG: exported, PULUMI_TIDB_CACHE: folder });
        program = path.join(folder, "program");
        fs.mkdirSync(program);
        fs.writeFileSync(
            path.join(program, "Pulumi.yaml"),
            "name: attack\nruntime: { name: nodejs, options: { typescript: false } }\n",
        );
        fs.writeFileSync(path.join(program, "package.json"), JSON.stringify({ main: "index.js" }));
        fs.symlinkSync(path.join(repository, "node_modules"), path.join(program, "node_modules"));
    });

    afterEach(() => {
        variables.forEach((name, index) => {
            delete process.env[name];
            Object.assign(process.env, earlier[index] === undefined ? {} : { [name]: earlier[index] });
        });
        process.exitCode = undefined;
        [sandbox, prod].forEach(({ server }) => server.close(() => undefined).closeAllConnections());
        fs.rmSync(folder, { recursive: true });
    });

    /** Runs `up` of a program that makes a ConfigMap, and returns its error and what it printed. */
    async function up(options: string, ...flags: string[]): Promise<string> {
        fs.writeFileSync(
            path.join(program, "index.js"),
            `const k8s = require("@pulumi/kubernetes");
const fs = require("node:fs");
const file = process.env.KUBECONFIG;
fs.writeFileSync(${JSON.stringify(path.join(folder, "seen"))}, file + " " + (fs.statSync(file).mode & 0o777).toString(8));
const metadata = { name: "one", namespace: "tidb", annotations: { "pulumi.com/skipAwait": "true" } };
new k8s.core.v1.ConfigMap("one", { metadata, data: {} }, ${options});
`,
        );
        const printed: string[] = [];
        const log = console.log;
        console.log = (line: string) => void printed.push(line);
        const command = new Command();
        addPulumiCommand(command, async (work) => {
            await work().catch((error: Error) => printed.push(error.message));
        });
        try {
            const words = ["pulumi", "up", program, "--yes", "--skip-preview", ...flags];
            await command.parseAsync(words, { from: "user" });
        } finally {
            console.log = log;
        }
        return printed.join("\n");
    }

    it("works in the sandbox with a private kubeconfig that is deleted after the run", async () => {
        const printed = await up("{}");
        assert.deepEqual(prod.requests, []);
        assert.ok(
            sandbox.requests.some((request) =>
                /^(POST|PATCH) .*\/namespaces\/tidb\/configmaps.* Bearer sandbox-token$/.test(request),
            ),
            `${sandbox.requests.join("\n")}\n${printed}`,
        );
        const [file, mode] = fs.readFileSync(path.join(folder, "seen"), "utf8").split(" ");
        assert.notEqual(file, exported);
        assert.equal(path.dirname(path.dirname(file)), box);
        assert.equal(mode, "600");
        assert.deepEqual(fs.readdirSync(path.dirname(file)), []);
    });

    it("says once that it does not use another kubeconfig, and nothing of the sandbox's own", async () => {
        const state = JSON.parse(fs.readFileSync(layoutOf(box).state, "utf8")) as Parameters<typeof saveState>[0];
        saveState({ ...state, server: undefined }); // So that the run ends soon after its first lines.
        const two = `${path.join(folder, "prod")}${path.delimiter}${exported}`;
        const words = (file: string) => [`It does not use KUBECONFIG=${file}: nothing there is read or changed.`];
        const given = [
            [exported, null],
            [path.relative(process.cwd(), exported), null],
            ["", null],
            ["/etc/prod", words("/etc/prod")],
            [two, words(two)],
        ] as const;
        for (const [file, said] of given) {
            process.env.KUBECONFIG = file;
            assert.deepEqual((await up("{}")).match(/.*KUBECONFIG.*/g), said, file);
        }
    });

    it("refuses the exported file as an explicit kubeconfig and the real cluster's context, and sends no request", async () => {
        const explicit = `{ provider: new k8s.Provider("p", { kubeconfig: ${JSON.stringify(exported)} }) }`;
        for (const printed of [await up(explicit), await up("{}", "-c", "kubernetes:context=prod")]) {
            assert.match(printed, /expected https:\S+, the API server of the sandbox "one"/);
        }
        assert.deepEqual([prod.requests, sandbox.requests], [[], []]);
    });

    it("refuses a sandbox whose record lacks the address of its API server", async () => {
        const state = JSON.parse(fs.readFileSync(layoutOf(box).state, "utf8")) as Parameters<typeof saveState>[0];
        saveState({ ...state, server: undefined });
        assert.match(await up("{}"), /the sandbox "one": found no server in .*sandbox\.json, expected the URL/);
        assert.deepEqual([prod.requests, sandbox.requests], [[], []]);
    });

    it("leaves the run's kubeconfig to another run that still uses it", async () => {
        const runs = path.join(box, "pulumi-runs");
        fs.mkdirSync(runs);
        fs.writeFileSync(path.join(runs, String(process.ppid)), startMark(process.ppid) ?? "");
        await up("{}");
        assert.deepEqual(fs.readdirSync(runs).sort(), [String(process.ppid), "kubeconfig"].sort());
    });

    it("removes the kubeconfig of a run that was killed, even if a later process has its id", async () => {
        const state = JSON.stringify({ name: "one", folder: box, server: sandbox.url });
        const killed = `require("./sandbox/runKubeconfig").writeRunKubeconfig(${state}); process.kill(process.pid, "SIGKILL");`;
        const { signal } = spawnSync(process.execPath, ["--require", "tsx/cjs", "-e", killed], { cwd: repository });
        assert.equal(signal, "SIGKILL");
        const runs = path.join(box, "pulumi-runs");
        assert.equal(fs.readdirSync(runs).length, 2);
        assert.equal(fs.statSync(path.join(runs, "kubeconfig")).mode & 0o777, 0o600);
        assert.equal(fs.statSync(runs).mode & 0o777, 0o700);
        fs.writeFileSync(path.join(runs, String(process.ppid)), "the start of an earlier process");
        fs.writeFileSync(path.join(runs, "kubeconfig.0f3c1a"), "");
        await up("{}");
        assert.deepEqual(fs.readdirSync(runs), []);
    });
});
