import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { type CommandName, commands } from "../../../sandbox/recorders/br/arguments/commands";

const fixture = path.resolve(__dirname, "../../fixtures/br/flags.json");
const real = JSON.parse(fs.readFileSync(fixture, "utf8")) as {
    source: string;
    common: string[];
    commands: Record<string, string[]>;
};

/** The flags of a command in the fixture's form. */
function describeFlags(name: CommandName): string[] {
    const { flags, required } = commands[name];
    return Object.entries(flags).map(([flag, { kind, short, initial }]) => {
        const isList = kind === "stringSlice" || kind === "stringArray";
        return [
            `${flag} ${kind}`,
            ...(short === undefined ? [] : [`-${short}`]),
            ...((required as readonly string[]).includes(flag) ? ["required"] : []),
            ...(initial === undefined ? [] : [isList ? `=[${initial}]` : `=${initial}`]),
        ].join(" ");
    });
}

describe(`the recorder of br: its flags against those of ${real.source.split(":")[0]}`, () => {
    it("knows the commands, and no others", () => {
        assert.deepEqual(Object.keys(commands).sort(), Object.keys(real.commands).sort());
    });

    (Object.keys(commands) as CommandName[]).forEach((name) =>
        it(`knows each flag of \`br ${name}\`, its kind and its initial value`, () => {
            assert.deepEqual(describeFlags(name).sort(), [...real.common, ...real.commands[name]].sort());
        }),
    );
});
