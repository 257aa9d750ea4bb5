import * as assert from "node:assert/strict";
import { GateError } from "../../provider/gates/gateError";
import type { Problem } from "../../provider/lifecycle/vocabulary/move";
import type { ProblemCode } from "../../provider/lifecycle/vocabulary/problemCodes";
import { repeats } from "./repeats";

/** What a failure is about, besides its code. */
interface About {
    readonly step?: string;
    readonly target?: string;
    /** Values that the test has made up, and that the message must repeat: pods, holders, answers. Not the message's own words. */
    readonly names?: string | readonly string[];
}

/** Asserts that the error is this failure of a gate, and no other one. @returns the problem, for further looks. */
export function isFailure(error: unknown, code: ProblemCode, { names = [], ...about }: About = {}): Problem {
    assert.ok(error instanceof GateError, `expected a failure ${code}, found ${String(error)}`);
    const { problem, message } = error;
    const { step, target } = problem;
    assert.deepEqual({ code: problem.code, step, target }, { code, step, target, ...about }, message);
    repeats(message, ...[names].flat());
    return problem;
}

/** Asserts that the run ends with this failure of a gate, and no other one. @returns the problem, for further looks. */
export async function failsWith(run: Promise<unknown>, code: ProblemCode, about?: About): Promise<Problem> {
    const error = await run.then(
        () => assert.fail(`expected a failure ${code}, found none`),
        (thrown: unknown) => thrown,
    );
    return isFailure(error, code, about);
}
