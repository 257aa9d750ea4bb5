/** What docs/architecture.md says of the rooms: arrows point down only, no circles, and pure rooms import nothing that acts. */

const outside = (...rooms) => ({ pathNot: [...rooms.map((room) => `^${room}/`), "node_modules"] });
const acting = [
    "(^|node_modules/)(@pulumi|axios|@kubernetes|@grpc|mysql2)(/|$)",
    "^(node:)?(fs|net|http|https|tls|child_process)(/|$)",
];
const room = (name, from, ...below) => ({
    name: `arrows-of-${name}`,
    severity: "error",
    from: { path: `^${from}/` },
    to: { ...outside(from, ...below), dependencyTypesNot: ["core"] },
});

module.exports = {
    forbidden: [
        { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
        room("topology", "topology"),
        room("lifecycle", "provider/lifecycle", "topology"),
        room("vocabulary", "provider/lifecycle/vocabulary", "topology"),
        room("stages", "provider/lifecycle/stages", "provider/lifecycle/vocabulary", "topology"),
        room(
            "members",
            "provider/lifecycle/members",
            "provider/lifecycle/stages",
            "provider/lifecycle/vocabulary",
            "topology",
        ),
        room("pd", "provider/pd", "topology"),
        room("cluster", "provider/cluster", "provider/pd", "provider/lifecycle", "topology"),
        room("gates", "provider/gates", "provider/cluster", "provider/pd", "provider/lifecycle", "topology"),
        room("components", "components", "provider", "topology"),
        room("convert", "convert", "components", "provider", "topology"),
        {
            name: "arrows-of-sandbox",
            comment: "The sandbox is a package of its own: of pulumi-tidb it has the public types of PD's JSON alone.",
            severity: "error",
            from: { path: "^sandbox/" },
            to: { path: "^(topology|components|convert|bin|provider/(?!pd/)|index)", pathNot: "node_modules" },
        },
        {
            name: "discovery-server-stands-alone",
            comment: "Its files run by themselves in the discovery pod.",
            severity: "error",
            from: { path: "^components/discovery/server/" },
            to: { ...outside("components/discovery/server"), dependencyTypesNot: ["core"] },
        },
        {
            name: "pure-rooms",
            severity: "error",
            from: {
                path: "^(topology|provider/lifecycle|components/kubernetes)/|/(manifests|startScript)\\.ts$",
                pathNot: "^tests/",
            },
            to: { path: acting },
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
