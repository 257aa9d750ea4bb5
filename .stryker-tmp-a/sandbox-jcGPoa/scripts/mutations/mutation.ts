/** A rule or an observation that is taken out of the code, to see that a test notices. */
export interface Mutation {
    /** What a user would lose. */
    name: string;
    /** From the root of the repository. */
    file: string;
    /** Text that is in the file exactly once. */
    find: string;
    replace: string;
    /** Tests that are to notice, tried first. */
    tests: readonly string[];
}

/** Where tests of a rule stand. */
export const testsOf = {
    lifecycle: (...names: string[]) => names.map((name) => `tests/unit/lifecycle/${name}.test.ts`),
    gates: (...names: string[]) => names.map((name) => `tests/unit/gates/${name}.test.ts`),
    cluster: (...names: string[]) => names.map((name) => `tests/unit/cluster/${name}.test.ts`),
};
