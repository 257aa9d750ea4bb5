import * as assert from "node:assert/strict";
import { ManifestError } from "../../components/problem";

/** @returns the fields of the errors that a check of a manifest throws; none if it throws nothing. */
export function refusedFields(check: () => unknown): string[] {
    try {
        check();
        return [];
    } catch (error) {
        assert.ok(error instanceof ManifestError, String(error));
        assert.ok(error.problems.every(({ severity }) => severity === "error"));
        return error.problems.map(({ field }) => field);
    }
}

/** Asserts that a program is refused for these fields, in this order, and no other ones. */
export async function refusesFields(run: () => unknown, ...fields: string[]): Promise<void> {
    const error = await Promise.resolve()
        .then(run)
        .then(
            () => assert.fail("nothing was refused"),
            (thrown: unknown) => thrown,
        );
    assert.ok(error instanceof ManifestError, String(error));
    const errors = error.problems.filter(({ severity }) => severity === "error");
    assert.deepEqual(
        errors.map(({ field }) => field),
        fields,
        error.message,
    );
}
