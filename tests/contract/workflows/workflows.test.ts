import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../docs/pages";
import { commandsOf, filesWithActions, type Job, type Workflow, workflow, workflows } from "./workflowFiles";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const jobsOf = ({ jobs }: Workflow): [string, Job][] => Object.entries(jobs);
const granted = ({ permissions = {} }: Job) =>
    Object.entries(permissions).map(([scope, access]) => `${scope}: ${access}`);

describe("the actions that workflows use", () => {
    const uses = filesWithActions().flatMap(({ path, text }) =>
        [...text.matchAll(/^[\s-]*uses: *(.*)$/gm)].map(([, action]) => ({ path, action })),
    );
    const external = uses.filter(({ action }) => !action.startsWith("./"));

    it("are pinned by a commit, with the version in a comment", () => {
        assert.ok(external.length >= 10, `found only ${external.length} actions`);
        const pinned = /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
        assert.deepEqual(
            external.filter(({ action }) => !pinned.test(action)),
            [],
        );
    });

    it("are at one version everywhere", () => {
        const pins = new Set(external.map(({ action }) => action));
        const commits = new Set([...pins].map((pin) => pin.replace(/@.*/, "")));
        assert.equal(pins.size, commits.size, [...pins].sort().join("\n"));
    });

    it("exist if they are this repository's own", () => {
        const own = uses.filter(({ action }) => action.startsWith("./"));
        assert.deepEqual(
            own.filter(({ action }) => !existsSync(join(root, action, "action.yml"))),
            [],
        );
    });
});

describe("the workflows", () => {
    for (const one of workflows()) {
        describe(one.path, () => {
            it("grants nothing to all jobs, and to each what it needs, with a time limit", () => {
                assert.deepEqual(one.permissions, {});
                for (const [name, job] of jobsOf(one)) {
                    assert.equal(typeof job.permissions, "object", `${name} has no permissions of its own`);
                    assert.equal(typeof job["timeout-minutes"], "number", `${name} has no timeout-minutes`);
                }
            });

            it("calls npm scripts that exist", () => {
                const called = [...one.text.matchAll(/npm (?:run ([\w:-]+)|(test)\b)/g)].map(
                    ([, script, test]) => script ?? test,
                );
                assert.deepEqual(
                    called.filter((script) => scripts[script] === undefined),
                    [],
                );
            });

            it("keeps no credentials in a checkout, and runs no pull request with the rights of the repository", () => {
                const checkouts = jobsOf(one)
                    .flatMap(([, { steps }]) => steps)
                    .filter(({ uses }) => uses?.startsWith("actions/checkout@"));
                assert.deepEqual(
                    checkouts.filter((step) => step.with?.["persist-credentials"] !== false),
                    [],
                );
                assert.ok(!("pull_request_target" in one.on) && !("workflow_run" in one.on));
            });
        });
    }

    it("write to the repository, sign and publish only in release.yml", () => {
        for (const { path, text, jobs } of workflows().filter(({ path }) => !path.endsWith("release.yml"))) {
            assert.doesNotMatch(text, /npm publish|gh release|secrets\./, path);
            const writes = Object.values(jobs)
                .flatMap(granted)
                .filter((grant) => grant.endsWith("write"));
            assert.deepEqual(writes, path.endsWith("codeql.yml") ? ["security-events: write"] : [], path);
        }
    });
});

describe("ci.yml", () => {
    const ci = workflow("ci.yml");

    it("runs on each pull request: the checks, npm test on each Node.js, and all tests in four shards", () => {
        assert.ok("pull_request" in ci.on);
        assert.deepEqual(ci.jobs.test.strategy?.matrix, { node: ["20", "22", "24"] });
        assert.deepEqual(commandsOf(ci.jobs.test), ["npm test"]);
        assert.deepEqual(ci.jobs.all.strategy?.matrix, { shard: [1, 2, 3, 4] });
        assert.deepEqual(commandsOf(ci.jobs.all), ["npm run test:all -- --shard ${{ matrix.shard }}/4"]);
        assert.deepEqual(commandsOf(ci.jobs.check), ["npm run check", "npm run docs:site"]);
    });
});

describe("nightly.yml", () => {
    const nightly = workflow("nightly.yml");

    it("plays 10,000 stories with the run's own seed, and tries the matrix of versions", () => {
        assert.ok("schedule" in nightly.on);
        assert.deepEqual(commandsOf(nightly.jobs.stories), ["npm run test:properties -- 10000"]);
        assert.match(nightly.text, /FC_SEED: \$\{\{ github\.run_id \}\}/);
        assert.deepEqual(commandsOf(nightly.jobs.matrix), ["npm run matrix"]);
    });

    it("lets Stryker mutate folders that exist", () => {
        const folders = (nightly.jobs.mutation.strategy?.matrix.include ?? []) as { name: string; folder: string }[];
        assert.deepEqual(
            folders.map(({ folder }) => folder),
            ["provider/lifecycle", "provider/pd", "provider/cluster", "provider/gates", "status"],
        );
        assert.ok(folders.every(({ folder }) => existsSync(join(root, folder))));
        assert.match(
            commandsOf(nightly.jobs.mutation)[0],
            /^npm run test:mutation -- --mutate "\$\{\{ matrix\.folder \}\}\//,
        );
    });
});

describe("real.yml", () => {
    const real = workflow("real.yml");

    it("runs operations on kind each night, with updates between versions that PingCAP has released", () => {
        assert.ok("schedule" in real.on);
        const [create, run, remove, again] = commandsOf(real.jobs.operations);
        assert.match(create, /^go run sigs\.k8s\.io\/kind@v\d+\.\d+\.\d+ create cluster --kubeconfig kind\.yaml /);
        assert.equal(run, "npm run test:real");
        assert.match(remove, / delete cluster$/);
        assert.equal(again, create);
        const versions = (real.jobs.operations.strategy?.matrix.include ?? []) as { version: string; next: string }[];
        assert.ok(versions.every(({ version, next }) => /^v\d+\.\d+\.\d+$/.test(version) && version < next));
    });

    it("runs the same operations with TiDB Operator, whose objects are there before it is", () => {
        const install = commandsOf(real.jobs.operations)[4];
        const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-operator-"));
        for (const name of ["kubectl", "helm", "npm"]) {
            writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*"\n`, { mode: 0o755 });
        }
        const env = { PATH: `${folder}:${process.env.PATH}`, PULUMI_TIDB_OPERATOR: "v1.6.6" };
        const { status, stdout } = spawnSync("bash", ["-e", "-c", install], { env, encoding: "utf8" });
        const lines = stdout.trim().split("\n");
        assert.deepEqual(
            [status, lines.map((line) => line.split(" ", 2).join(" "))],
            [0, ["kubectl create", "helm install", "npm run"]],
        );
        assert.ok(lines[0].includes("/v1.6.6/manifests/crd.yaml") && lines[1].includes(" --version v1.6.6 "));
        rmSync(folder, { recursive: true });
    });

    it("makes one page of both figures, which is the run's summary too", () => {
        const compare = commandsOf(real.jobs.operations)[5];
        const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-summary-"));
        const suite = (title: string) => ({
            [title]: { version: "v8.5.8", operations: [{ operation: "an upgrade", seconds: 60, stops: [] }] },
        });
        const [ours, operators, page] = ["figures.json", "operator.json", "summary.md"].map((name) =>
            join(folder, name),
        );
        writeFileSync(ours, JSON.stringify(suite("operations")));
        writeFileSync(operators, JSON.stringify(suite("TiDB Operator")));
        const script = compare
            .replace("figures.json", ours)
            .replace("operator.json", operators)
            .replace("figures.md", join(folder, "figures.md"));
        const env = { ...process.env, GITHUB_STEP_SUMMARY: page };
        const { status, stderr } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], {
            cwd: root,
            env,
            encoding: "utf8",
        });
        assert.equal(status, 0, stderr);
        const text = readFileSync(page, "utf8");
        assert.match(
            text,
            /## v8\.5\.8: operations\n\n\| operation \|[^\n]*\n\|( --- \|)+\n\| an upgrade \| 60 \| no clients \|/,
        );
        assert.match(text, /## v8\.5\.8: TiDB Operator\n/);
        rmSync(folder, { recursive: true });
    });
});

describe("release.yml", () => {
    const release = workflow("release.yml");
    const { pack, publish, release: page } = release.jobs;

    it("runs for tags alone, and publishes what an earlier job without rights has tested and packed", () => {
        assert.deepEqual(release.on, { push: { tags: ["v*"] } });
        assert.deepEqual([pack, publish, page].map(granted), [
            ["contents: read"],
            ["id-token: write"],
            ["contents: write"],
        ]);
        assert.deepEqual([publish.needs, publish.environment, page.needs], ["pack", "npm", "publish"]);
        assert.ok(["npm run check", "npm run test:all"].every((command) => commandsOf(pack).includes(command)));
        assert.match(release.text, /npm publish .*--provenance/);
        assert.match(release.text, /npm sbom /);
        assert.match(release.text, /gh release create /);
    });

    it("restores no cache, which another workflow could have written to", () => {
        assert.doesNotMatch(release.text, /actions\/cache|uses: \.\/|cache: (?!false)/);
    });

    it("takes the version of each package, and of what they ask of each other, from the tag", () => {
        const set = commandsOf(pack).find((command) => command.includes("npm pkg set")) ?? "";
        for (const folder of [".", "cli", "sandbox"]) {
            const { name, peerDependencies } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
                name: string;
                peerDependencies: Record<string, string>;
            };
            const workspace = folder === "." ? "" : ` --workspace ${folder}`;
            const lines = set.replaceAll("\\\n", "").split("\n");
            const line = lines.find(
                (one) => one.startsWith('npm pkg set "version=$version"') && one.endsWith(workspace),
            );
            const own = Object.keys(peerDependencies).filter((peer) => peer.startsWith("pulumi-tidb"));
            for (const peer of own) {
                assert.match(line ?? "", new RegExp(`"peerDependencies\\.${peer}=\\^?\\$version"`), name);
            }
            assert.ok(line !== undefined, name);
            // npm publishes no private package, so none is published from a clone.
            assert.match(
                set,
                /\nnpm pkg delete private --workspace cli --workspace sandbox --include-workspace-root\n/,
            );
            assert.ok(commandsOf(publish).some((command) => command.includes(name)));
        }
    });
});

describe("dependabot.yml", () => {
    const { updates } = parse(readFileSync(join(root, ".github", "dependabot.yml"), "utf8")) as {
        updates: { "package-ecosystem": string; directory?: string; directories?: string[] }[];
    };
    const covered = (ecosystem: string) =>
        updates
            .filter((one) => one["package-ecosystem"] === ecosystem)
            .flatMap(({ directory, directories }) => directories ?? directory ?? [])
            .sort();

    it("covers the npm packages, the actions, and the Go modules of the sandbox", () => {
        const actions = readdirSync(join(root, ".github", "actions")).map((name) => `/.github/actions/${name}`);
        const programs = "sandbox/controlPlane/programs";
        assert.deepEqual(covered("npm"), ["/"]);
        assert.deepEqual(covered("github-actions"), ["/", ...actions]);
        assert.deepEqual(covered("gomod"), [`/${programs}/*`]);
        assert.ok(existsSync(join(root, programs, "etcd", "go.mod")));
    });
});
