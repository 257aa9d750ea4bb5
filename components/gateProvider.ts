/**
 * The dynamic provider of all gates, as the text that Pulumi keeps in the state of every stack and evaluates
 * (`@pulumi/pulumi/cmd/dynamic-provider`). It only delegates, and loads the package with each call, so an upgrade of the package also
 * upgrades the logic of gates that are deleted. It finds the package from the program's folder, or else beside Pulumi's SDK, whose
 * program runs the gates: pnpm links a package that only another package depends on there, and not into the program's folder.
 *
 * `pulumi.dynamic.Resource` would make such a text of functions, for which each program would load the TypeScript compiler.
 */
export const gateProvider = `exports.handler = () => {
    const gates = () =>
        require(require.resolve("pulumi-tidb/provider/gates", { paths: [".", require.main.path] }));
    return {
        check: (olds, news) => gates().check(olds, news),
        diff: (id, olds, news) => gates().diff(id, olds, news),
        create: (inputs) => gates().create(inputs),
        update: (id, olds, news) => gates().update(id, olds, news),
        delete: (id, props) => gates().delete_(id, props),
    };
};
`;
