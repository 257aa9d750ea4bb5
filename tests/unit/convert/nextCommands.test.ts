import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pulumiLogin } from "../../../bin/pulumiLogin";
import { nextCommands } from "../../../convert/nextCommands";

const cases = [
    { title: "somebody who uses the Pulumi Cloud", backend: "https://api.pulumi.com", login: false, passphrase: false },
    { title: "somebody who never logged in", backend: undefined, login: true, passphrase: true },
    { title: "a state in a folder", backend: "file://~", login: false, passphrase: true },
    { title: "a state in a bucket", backend: "s3://states", login: false, passphrase: true },
];

describe("the next commands after convert --stack", () => {
    for (const { title, backend, login, passphrase } of cases) {
        it(`deploy the project of ${title}, with what is still needed`, () => {
            const commands = nextCommands("my-cluster", { backend, hasPassphrase: false });
            assert.deepEqual(commands.slice(0, 2), ["cd my-cluster", "npm install"]);
            assert.equal(commands.at(-2), "pulumi stack init my-cluster");
            assert.ok(commands.at(-1)?.startsWith("pulumi up ") && commands.at(-1)?.includes("sandbox start"));
            assert.equal(/pulumi login/.test(commands.join("\n")), login);
            assert.equal(/PULUMI_CONFIG_PASSPHRASE/.test(commands.join("\n")), passphrase);
            assert.equal(commands.length, login || passphrase ? 5 : 4);
        });
    }

    it("name no sandbox where the project does not have the command for it", () => {
        const login = { backend: "https://api.pulumi.com", hasPassphrase: false };
        assert.equal(nextCommands("a", login, [], false).at(-1), "pulumi up");
    });

    it("do not ask for a passphrase that is set", () => {
        assert.equal(nextCommands("a", { backend: "file://~", hasPassphrase: true }).length, 4);
    });

    it("say of a TidbInitializer that a sandbox cannot run it, and of nothing else", () => {
        const login = { backend: "https://api.pulumi.com", hasPassphrase: false };
        const [one, ...more] = nextCommands("a", login, ["passwords"]).slice(nextCommands("a", login).length);
        assert.ok(one.startsWith("# ") && one.includes("TidbInitializer passwords"), one);
        assert.deepEqual(more, []);
    });

    it("give the stack the name that --stack was given, and one that Pulumi takes if it is none", () => {
        const stackOf = (folder: string) => nextCommands(folder, pulumiLogin({})).find((one) => /stack init/.test(one));
        assert.equal(stackOf("~/projects/prod/"), "pulumi stack init prod");
        assert.equal(stackOf("it's mine"), "pulumi stack init dev");
    });

    it("quote a folder with spaces", () => {
        assert.equal(nextCommands("it's mine", pulumiLogin({}))[0], "cd 'it'\\''s mine'");
    });
});

describe("the login of the Pulumi CLI", () => {
    let home: string;

    beforeEach(() => {
        home = mkdtempSync(join(tmpdir(), "pulumi-tidb-home-"));
    });

    afterEach(() => rmSync(home, { recursive: true }));

    it("does not exist before the first login", () => {
        assert.deepEqual(pulumiLogin({ PULUMI_HOME: home }), { backend: undefined, hasPassphrase: false });
    });

    it("comes from the credentials, the variable for the backend, or a token", () => {
        assert.equal(pulumiLogin({ PULUMI_HOME: home, PULUMI_ACCESS_TOKEN: "x" }).backend, "https://api.pulumi.com");
        writeFileSync(join(home, "credentials.json"), '{ "current": "file://~" }');
        assert.equal(pulumiLogin({ PULUMI_HOME: home }).backend, "file://~");
        assert.equal(pulumiLogin({ PULUMI_HOME: home, PULUMI_BACKEND_URL: "gs://mine" }).backend, "gs://mine");
    });

    it("accepts an empty passphrase, as Pulumi does", () => {
        assert.equal(pulumiLogin({ PULUMI_HOME: home, PULUMI_CONFIG_PASSPHRASE: "" }).hasPassphrase, true);
    });
});
