import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { startedAs } from "../../../bin/ownCommand";

const folder = "/home/ana/my-project";
const installed = `${folder}/node_modules/.bin/pulumi-tidb`;
const cached = "/home/ana/.npm/_npx/6de7/node_modules/.bin/pulumi-tidb";
const npm = { npm_config_user_agent: "npm/11.19.1 node/v20.20.2 linux x64 workspaces/false" };

describe("The command that messages tell the user to run", () => {
    const rows: [string, Partial<Parameters<typeof startedAs>[0]>, string][] = [
        ["npx, installed", { program: installed, environment: npm }, "npx pulumi-tidb"],
        // npx puts the package's folder on PATH, but only for the process that it starts.
        ["npx, also on PATH for now", { program: installed, environment: npm, isOnPath: true }, "npx pulumi-tidb"],
        ["npx, downloaded", { program: cached, environment: npm }, "npx pulumi-tidb"],
        [
            "npx --package",
            { program: cached, environment: { ...npm, npm_config_package: "/my tarballs/pulumi-tidb-0.1.0.tgz" } },
            "npx --package='/my tarballs/pulumi-tidb-0.1.0.tgz' pulumi-tidb",
        ],
        [
            "pnpm exec",
            {
                program: `${folder}/node_modules/pulumi-tidb/dist/bin/pulumi-tidb.js`,
                environment: { npm_config_user_agent: "pnpm/10.4.0 npm/? node/v22.1.0 linux x64" },
            },
            "pnpm exec pulumi-tidb",
        ],
        [
            "yarn",
            { program: installed, environment: { npm_config_user_agent: "yarn/1.22.22 npm/? node/v22.1.0 linux x64" } },
            "yarn pulumi-tidb",
        ],
        ["a global installation", { program: "/usr/local/bin/pulumi-tidb", isOnPath: true }, "pulumi-tidb"],
        [
            "a global installation, in an npm script",
            { program: "/usr/local/bin/pulumi-tidb", isOnPath: true, environment: npm },
            "pulumi-tidb",
        ],
        ["the link itself", { program: installed }, "node_modules/.bin/pulumi-tidb"],
        ["node, in a clone", { program: `${folder}/dist/bin/pulumi-tidb.js` }, "node dist/bin/pulumi-tidb.js"],
        ["node, in the folder", { program: `${folder}/pulumi-tidb.js` }, "node ./pulumi-tidb.js"],
        [
            "node, elsewhere",
            { program: "/my clone/dist/bin/pulumi-tidb.js" },
            "node '/my clone/dist/bin/pulumi-tidb.js'",
        ],
        ["the sources", { program: `${folder}/bin/pulumi-tidb.ts` }, "npx tsx bin/pulumi-tidb.ts"],
        ["another program, such as a test", { program: `${folder}/node_modules/.bin/mocha` }, "pulumi-tidb"],
        ["no program", { program: undefined }, "pulumi-tidb"],
    ];
    for (const [how, start, command] of rows) {
        it(`is ${command} for ${how}`, () => {
            assert.equal(
                startedAs({ program: undefined, folder, environment: {}, isOnPath: false, ...start }),
                command,
            );
        });
    }

    describe("is found out from the process", () => {
        let elsewhere: string;
        const root = join(__dirname, "../../..");
        const code = "process.stdout.write(require('./bin/ownCommand').ownCommand())";

        before(() => {
            elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "pulumi-tidb-own-")));
            mkdirSync(join(elsewhere, "first"));
            mkdirSync(join(elsewhere, "second"));
            symlinkSync(join(root, "bin/pulumi-tidb.ts"), join(elsewhere, "second/pulumi-tidb"));
        });

        after(() => rmSync(elsewhere, { recursive: true }));

        it("which is on PATH only if the first pulumi-tidb there is this one", () => {
            const run = (path: string[]): string => {
                const program = join(elsewhere, "second/pulumi-tidb");
                const { stdout, stderr } = spawnSync(
                    process.execPath,
                    ["--require", "tsx/cjs", "-e", `process.argv[1] = ${JSON.stringify(program)}; ${code}`],
                    { cwd: root, encoding: "utf8", env: { PATH: path.join(delimiter) } },
                );
                assert.equal(stderr, "");
                return stdout;
            };
            const [first, second] = [join(elsewhere, "first"), join(elsewhere, "second")];
            assert.equal(run([first, second]), "pulumi-tidb");
            assert.equal(run([first]), join(second, "pulumi-tidb"));
            symlinkSync(join(root, "package.json"), join(first, "pulumi-tidb"));
            assert.equal(run([first, second]), join(second, "pulumi-tidb"));
        });
    });
});
