import assert from "node:assert/strict";
import { testedVersionProblems } from "../../../components/validation/versionTags";

describe("the version of a cluster", () => {
    for (const version of ["v9.9.9", "v8.10.0", "v6.1.7"]) {
        it(`is warned of if it is ${version}`, () => {
            const [problem, ...more] = testedVersionProblems(version);
            const { field, found, severity, risk } = problem;
            assert.deepEqual([field, found, severity], ["spec.version", `"${version}"`, "warning"]);
            assert.notEqual(risk, undefined);
            assert.deepEqual(more, []);
        });
    }

    for (const version of ["v6.5.0", "v8.5.40", "v8.5.3-hotfix", "nightly", "latest", "mine", undefined]) {
        it(`is not warned of if it is ${version}`, () => {
            assert.deepEqual(testedVersionProblems(version), []);
        });
    }
});
