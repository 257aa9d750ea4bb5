import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { renderedScripts, variants } from "./renderedScripts";
import { findProgram, shells } from "./scriptRun";

/** All scripts, each text once, by where it is found first. */
const scripts = new Map<string, string>();
for (const variant of Object.keys(variants)) {
    for (const [name, text] of Object.entries(renderedScripts(variant))) {
        if (![...scripts.values()].includes(text)) {
            scripts.set(`${name}, ${variant}`, text);
        }
    }
}

function accepted(command: readonly string[], also: (text: string) => readonly string[] = () => []): void {
    for (const [where, text] of scripts) {
        const { status, stdout, stderr } = spawnSync(command[0], [...command.slice(1), ...also(text)], { input: text });
        assert.equal(status, 0, `${where}: ${stdout.toString()}${stderr.toString()}\n${text}`);
    }
}

describe("the start scripts of all members, as their containers run them", function () {
    this.timeout(60_000);

    it("exist for each member, and for nothing else", () => {
        const members = [...scripts.keys()].map((where) => where.replace(/[,/].*/, ""));
        const expected = ["pd", "pump", "scheduling", "ticdc", "tidb", "tiflash", "tikv", "tiproxy", "tso"];
        assert.deepEqual([...new Set(members)].sort(), expected);
    });

    for (const shell of shells) {
        it(`are valid for ${shell.name} -n`, () => accepted([...shell.command, "-n"]));
    }

    const checked = findProgram("shellcheck") ? "" : " (shellcheck is not installed: NOT CHECKED)";
    it(`pass shellcheck${checked}`, function () {
        if (checked !== "") {
            return this.skip();
        }
        accepted(["shellcheck", "-s", "sh", "-"]);
    });

    it("name only the shell that runs them", () => {
        for (const [where, text] of scripts) {
            assert.match(text, /^(#!\/bin\/sh\n|[^#])/, where);
        }
    });
});
