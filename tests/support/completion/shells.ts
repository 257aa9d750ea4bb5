import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** What each shell offers at the end of each line, without descriptions. */
export type Asked = readonly string[][];

/** Where the shells run: the folder of the files that they may offer, and the environment in which they find pulumi-tidb. */
interface Place {
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
}

/** Asks a shell what it offers when the user presses Tab after each of the lines. */
export const ask: Readonly<Record<"bash" | "zsh" | "fish", (lines: readonly string[], place: Place) => Asked>> = {
    bash: (lines, place) => answersOf("bash", ["--norc", join(__dirname, "ask.bash"), ...lines], place),
    zsh: (lines, place) => answersOf("zsh", ["-f", join(__dirname, "ask.zsh"), ...lines], place),
    fish: (lines, place) => answersOf("fish", ["--no-config", join(__dirname, "ask.fish"), ...lines], place),
};

export function isThere(shell: string): boolean {
    return spawnSync(shell, ["-c", "true"]).status === 0;
}

/** Runs a script that prints what is offered, one word on each line, and `end` after each of the lines. */
function answersOf(shell: string, words: readonly string[], { folder, environment }: Place): string[][] {
    const { status, stdout, stderr } = spawnSync(shell, words, {
        cwd: folder,
        encoding: "utf8",
        // zsh and fish write into it.
        env: { ...environment, HOME: folder, XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "" },
        timeout: 50_000,
    });
    assert.equal(stderr, "");
    assert.equal(status, 0);
    return stdout
        .split("end\n")
        .slice(0, -1)
        .map((text) => text.split("\n").slice(0, -1));
}
