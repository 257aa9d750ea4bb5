import * as assert from "node:assert/strict";
import { startedAs } from "../../../bin/ownCommand";

const folder = "/home/ana/my-project";
const installed = `${folder}/node_modules/.bin/pulumi-tidb`;
const cached = "/home/ana/.npm/_npx/6de7/node_modules/.bin/pulumi-tidb";
const npm = { npm_config_user_agent: "npm/11.19.1 node/v20.20.2 linux x64 workspaces/false" };

describe("the command that messages tell the user to run", () => {
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
                program: `${folder}/node_modules/pulumi-tidb-cli/pulumi-tidb.js`,
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
        ["node, in a clone", { program: `${folder}/cli/pulumi-tidb.js` }, "node cli/pulumi-tidb.js"],
        ["node, in the folder", { program: `${folder}/pulumi-tidb.js` }, "node ./pulumi-tidb.js"],
        ["node, elsewhere", { program: "/my clone/cli/pulumi-tidb.js" }, "node '/my clone/cli/pulumi-tidb.js'"],
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
});
