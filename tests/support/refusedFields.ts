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
