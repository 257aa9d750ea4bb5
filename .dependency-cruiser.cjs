/**
 * The layers of docs/architecture.md: a layer imports only the layers below it, there are no cycles, and pure layers
 * import nothing with side effects.
 */

const outside = (...layers) => ({ pathNot: [...layers.map((layer) => `^${layer}/`), "node_modules"] });
const withSideEffects = [
    "(^|node_modules/)(@pulumi|axios|@kubernetes|@grpc|mysql2)(/|$)",
    "^(node:)?(fs|net|dgram|dns|http|http2|https|tls|child_process|worker_threads|cluster|timers|os|process)(/|$)",
];
const pureLayers = "^(topology|provider/lifecycle|components/(kubernetes|br))/|/(manifests|startScript)\\.ts$";
const layer = (name, from, ...below) => ({
    name: `arrows-of-${name}`,
    severity: "error",
    from: { path: `^${from}/` },
    to: { ...outside(from, ...below), dependencyTypesNot: ["core"] },
});

module.exports = {
    forbidden: [
        { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
        layer("topology", "topology"),
        layer("lifecycle", "provider/lifecycle", "topology"),
        layer("vocabulary", "provider/lifecycle/vocabulary", "topology"),
        layer("stages", "provider/lifecycle/stages", "provider/lifecycle/vocabulary", "topology"),
        layer(
            "members",
            "provider/lifecycle/members",
            "provider/lifecycle/stages",
            "provider/lifecycle/vocabulary",
            "topology",
        ),
        layer("http", "provider/http"),
        layer("pd", "provider/pd", "provider/http", "topology"),
        layer("cluster", "provider/cluster", "provider/pd", "provider/http", "provider/lifecycle", "topology"),
        layer("gates", "provider/gates", "provider/cluster", "provider/pd", "provider/lifecycle", "topology"),
        layer("components", "components", "provider", "topology"),
        layer("convert", "convert", "components", "provider", "topology"),
        layer("plan", "plan", "components", "provider", "topology"),
        layer("status", "status", "components", "provider", "topology"),
        layer("sweep", "sweep", "status", "components", "provider", "topology"),
        layer("controller", "controller", "sweep", "status", "components", "provider", "topology"),
        {
            name: "arrows-of-testing",
            comment: "Users' unit tests import this folder, and so do ours and the matrix; what is deployed does not.",
            severity: "error",
            from: { pathNot: "^(testing|tests|scripts/matrix)/" },
            to: { path: "^testing/" },
        },
        layer("testing", "testing", "provider", "topology"),
        {
            name: "arrows-of-sandbox",
            comment: "The sandbox is a separate package. It may import only pulumi-tidb's public types of PD's JSON.",
            severity: "error",
            from: { path: "^sandbox/" },
            to: { path: "^(topology|components|convert|bin|provider/(?!pd/wire)|index)", pathNot: "node_modules" },
        },
        {
            name: "discovery-server-stands-alone",
            comment: "These files run in the discovery pod, without the rest of the package.",
            severity: "error",
            from: { path: "^components/discovery/server/" },
            to: { ...outside("components/discovery/server"), dependencyTypesNot: ["core"] },
        },
        {
            name: "pure-layers",
            severity: "error",
            from: { path: pureLayers, pathNot: "^tests/" },
            to: { path: withSideEffects, dependencyTypesNot: ["type-only"] },
        },
        {
            name: "pure-status",
            comment: "Only two of its files read a cluster; the others make a status of what was read.",
            severity: "error",
            from: { path: "^status/(?!readStatus|statusSources)" },
            to: { path: [...withSideEffects, "^provider/gates/"], dependencyTypesNot: ["type-only"] },
        },
        {
            name: "pure-layers-reach-nothing-with-side-effects",
            severity: "error",
            from: { path: pureLayers, pathNot: "^(tests|components/discovery/manifests)" },
            to: { path: withSideEffects, reachable: true },
        },
        {
            name: "topology-imports-nothing",
            severity: "error",
            from: { path: "^topology/" },
            to: { pathNot: "^topology/" },
        },
        {
            name: "tests-are-not-shipped",
            severity: "error",
            from: { pathNot: "^(tests|demo|bench)/" },
            to: { path: "^tests/" },
        },
    ],
    options: {
        tsPreCompilationDeps: true,
        tsConfig: { fileName: "tsconfig.json" },
        doNotFollow: { path: "node_modules" },
        exclude: { path: "^(sandbox/)?dist/" },
    },
};
