import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as http from "node:http";
import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { goModulesFolder, programsFolder } from "../../../sandbox/controlPlane/folders";
import { buildArguments, buildPrograms, progressInWords } from "../../../sandbox/controlPlane/programs/build";
import { withBuildLock } from "../../../sandbox/controlPlane/programs/buildLock";
import { programCatalogue, type Program } from "../../../sandbox/controlPlane/programs/catalogue";
import { downloadProgram } from "../../../sandbox/controlPlane/programs/download";
import { providePrograms } from "../../../sandbox/controlPlane/programs/provide";
import { repeats } from "../../support/repeats";

const read = (name: string): string => fs.readFileSync(path.join(goModulesFolder(), name, "go.mod"), "utf8");
const programs = programCatalogue({ etcd: read("etcd"), kubernetes: read("kubernetes"), kwok: read("kwok") });

describe("sandbox: getting the programs", () => {
    let folder: string;
    let environment: Record<string, string>;
    const log: string[] = [];

    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-provide-"));
        fs.mkdirSync(path.join(folder, "bin"));
        environment = {
            PATH: path.join(folder, "bin"),
            PULUMI_TIDB_CACHE: path.join(folder, "cache"),
            PULUMI_TIDB_DOWNLOAD: "never",
        };
        log.length = 0;
    });
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    const script = (name: string, text: string): void =>
        fs.writeFileSync(path.join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const provide = () => providePrograms({ log: (line) => log.push(line), environment });

    it("takes programs of the right series from PATH", async () => {
        programs.forEach((program) => script(program.name, `echo "version v${program.version}"`));
        const files = await provide();
        assert.equal(files.etcd, path.join(folder, "bin", "etcd"));
        assert.equal(files.kwok, path.join(folder, "bin", "kwok"));
        assert.deepEqual(log, []);
    });

    it("skips an old etcd on PATH, says so, and takes the one in the cache", async () => {
        programs.forEach((program) => script(program.name, `echo "version v${program.version}"`));
        script("etcd", 'echo "etcd Version: 3.4.30"');
        fs.mkdirSync(programsFolder(environment), { recursive: true });
        const machine = process.arch === "x64" ? "amd64" : process.arch;
        const cached = path.join(
            programsFolder(environment),
            `etcd-${programs[0].version}-${process.platform}-${machine}`,
        );
        fs.writeFileSync(cached, "", { mode: 0o755 });
        assert.equal((await provide()).etcd, cached);
        repeats(log, "bin/etcd", "3.4.30", "3.6.");
    });

    it("says what to install without Go and without downloads", async () => {
        await assert.rejects(provide(), (error: Error) => {
            repeats(error.message, "etcd 3.6.", "kube-apiserver 1.36.", 'PULUMI_TIDB_DOWNLOAD is "never"', "Go 1.26");
            return true;
        });
    });

    it("shows the last lines of a failed build, and leaves no half-built files", async () => {
        script("go", 'test "$1" = list || { echo "compile: disk quota exceeded" >&2; exit 3; }');
        await assert.rejects(provide(), /`go build` in .*etcd ended with 3; its last lines:\n {4}compile: disk quota/);
        assert.deepEqual(fs.readdirSync(programsFolder(environment)), []);
    });

    it("says how long a build takes at its own pace, not how long one took on another machine", () => {
        const words = (compiled: number, seconds: number) => progressInWords(compiled, 900, seconds * 1_000);
        const cached = "packages compiled, the others are cached or still to be compiled";
        assert.equal(words(19, 60), `19 of 900 ${cached}`);
        assert.equal(words(100, 45), `100 of 900 ${cached}; at this pace up to 6 min more`);
        assert.equal(words(600, 200), `600 of 900 ${cached}; at this pace up to 100 s more`);
    });

    it("builds programs that share a go.mod together, and puts them into the cache", async () => {
        // A stand-in for go: writes each program that it is asked for, to the file or folder after -o.
        script(
            "go",
            [
                'test "$1" = list && exit 0',
                'while [ "$1" != "-o" ]; do shift; done',
                "out=$2; shift 2",
                'case "$out" in */) for p; do echo x > "$out${p##*/}"; done;; *) echo x > "$out";; esac',
                'chmod +x /dev/null 2>/dev/null; find "${out%/*}" -type f -exec chmod 755 {} +',
            ].join("\n"),
        );
        environment.PATH += `:${process.env.PATH}`;
        for (const program of programs) {
            script(program.name, "exit 1"); // Hides whatever this machine has on its PATH.
        }
        const files = await provide();
        assert.deepEqual(
            Object.values(files).sort(),
            fs
                .readdirSync(programsFolder(environment))
                .map((name) => path.join(programsFolder(environment), name))
                .sort(),
        );
        assert.equal(Object.keys(files).length, 5);
    });

    it("asks Go for a stripped build that knows its version", () => {
        const words = buildArguments([programs[1], programs[2]], "/out");
        assert.equal(words[0], "build");
        assert.match(words[words.indexOf("-ldflags") + 1], /-X k8s\.io\/component-base\/version\.gitVersion=v1\.36\./);
        assert.ok(words.includes("-gcflags=all=-dwarf=false"), "debug information is not even compiled");
        assert.equal(words[words.indexOf("-o") + 1], "/out/");
        assert.deepEqual(words.slice(-2), [
            "k8s.io/kubernetes/cmd/kube-apiserver",
            "k8s.io/kubernetes/cmd/kube-controller-manager",
        ]);
    });

    it("refuses to mix programs of two go.mod files in one build", async () => {
        script("go", "exit 0");
        await assert.rejects(
            buildPrograms({
                programs: [programs[0], programs[1]],
                goModules: goModulesFolder(),
                outputFolder: folder,
                log: () => undefined,
                searchPath: environment.PATH,
            }),
            /one go\.mod only, but the programs are in etcd and kubernetes/,
        );
    });

    it("lets one process build at a time, and takes over the lock of a dead one", async () => {
        fs.writeFileSync(path.join(folder, ".lock"), "999999999");
        let inside = 0;
        let most = 0;
        const work = async (): Promise<void> => {
            most = Math.max(most, ++inside);
            await new Promise((resolve) => setTimeout(resolve, 20));
            inside--;
        };
        await Promise.all([1, 2].map(() => withBuildLock(folder, (line) => log.push(line), work)));
        assert.equal(most, 1);
        assert.match(log.join(), new RegExp(`waiting for process ${process.pid}`));
        assert.equal(fs.existsSync(path.join(folder, ".lock")), false);
    });
});

describe("sandbox: downloading a program", () => {
    const etcd: Program = programs[0];
    const content = "a program";
    let folder: string;
    let server: http.Server;
    let base: string;
    let published = "";

    before(async () => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-download-"));
        server = http.createServer((request, response) => {
            if (request.url === "/sums") {
                response.end(`${published}  etcd\n`);
            } else if (request.url === "/etcd") {
                response.end(content);
            } else if (request.url !== "/silent") {
                response.writeHead(404).end();
            }
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    after(() => {
        server.closeAllConnections();
        server.close();
        fs.rmSync(folder, { recursive: true });
    });
    const download = (place: string) =>
        downloadProgram(etcd, { url: `${base}${place}`, checksumUrl: `${base}/sums` }, folder, () => undefined);

    it("keeps a file with the published checksum, as an executable", async () => {
        published = createHash("sha256").update(content).digest("hex");
        const file = await download("/etcd");
        assert.equal(fs.readFileSync(file, "utf8"), content);
        assert.equal(fs.statSync(file).mode & 0o111, 0o111);
    });

    it("refuses a file with another checksum, and names both", async () => {
        published = "0".repeat(64);
        await assert.rejects(
            download("/etcd"),
            /has SHA-256 [0-9a-f]{64}, but .*\/sums lists 0{64}; the file is not used/,
        );
    });

    it("refuses a file that is not in the list of checksums", async () => {
        await assert.rejects(download("/other"), /\/sums lists no SHA-256 sum for other/);
    });

    it("gives up within seconds on a silent server", async () => {
        const started = Date.now();
        const silent = { url: `${base}/silent` };
        await assert.rejects(
            downloadProgram(etcd, silent, folder, () => undefined),
            /\/silent: no answer within 3 s/,
        );
        assert.ok(Date.now() - started < 4500);
    });

    it("names the address that refuses the connection", async () => {
        const nobody = { url: "http://127.0.0.1:1/etcd" };
        await assert.rejects(
            downloadProgram(etcd, nobody, folder, () => undefined),
            /127\.0\.0\.1:1\/etcd: ECONNREFUSED/,
        );
    });
});
