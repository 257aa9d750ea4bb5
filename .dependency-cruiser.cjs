module.exports = {
    forbidden: [{ name: "no-circular", severity: "error", from: {}, to: { circular: true } }],
    options: {
        tsPreCompilationDeps: true,
        tsConfig: { fileName: "tsconfig.json" },
        doNotFollow: { path: "node_modules" },
    },
};
