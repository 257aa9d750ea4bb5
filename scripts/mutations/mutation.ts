/** The removal of one rule or observation from the code, which a test must notice. */
export interface Mutation {
    /** The fault that users would have. */
    name: string;
    /** Path from the root of the repository. */
    file: string;
    /** Text that occurs exactly once in the file. */
    find: string;
    replace: string;
    /** Tests that should fail. They run first. */
    tests: readonly string[];
}

/** The test files of a folder, by name. */
export const testsOf = {
    lifecycle: (...names: string[]) => names.map((name) => `tests/unit/lifecycle/${name}.test.ts`),
    gates: (...names: string[]) => names.map((name) => `tests/unit/gates/${name}.test.ts`),
    cluster: (...names: string[]) => names.map((name) => `tests/unit/cluster/${name}.test.ts`),
};
