import assert from "node:assert/strict";
import { testedVersionProblems } from "../../../components/validation/versionTags";

describe("the version of a cluster", () => {
    for (const [version, why] of [
        [
            "v9.9.9",
            /^spec\.version: found "v9\.9\.9", expected .* such as v8\.5\.3; this package is not tested with it$/,
        ],
        ["v8.10.0", /this package is not tested with it$/],
        ["v6.1.7", /this package is not tested with it$/],
    ] as const) {
        it(`is warned of if it is ${version}`, () => {
            const [problem, ...more] = testedVersionProblems(version);
            assert.equal(problem.severity, "warning");
            assert.match(problem.message, why);
            assert.equal(problem.risk, `this package is not tested with ${version}`);
            assert.deepEqual(more, []);
        });
    }

    for (const version of ["v6.5.0", "v8.5.40", "v8.5.3-hotfix", "nightly", "latest", "mine", undefined]) {
        it(`is not warned of if it is ${version}`, () => {
            assert.deepEqual(testedVersionProblems(version), []);
        });
    }
});
