import assert from "node:assert/strict";
import { checkBr } from "../../../components/br/checkBr";
import { checkSchedule } from "../../../components/br/schedule/checkSchedule";
import { initializerProblems } from "../../../components/initializer/rules";
import { ManifestError } from "../../../components/problem";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";

const twice = (item: object) => [item, item];
const variables = twice({ name: "A", value: "1" });
const container = (ports: object[], name = "more") => ({ name, image: "x:1", ports });

const inCluster: (readonly [what: string, change: (manifest: OpenManifest) => void, field: string])[] = [
    [
        "the name of a port of a container",
        ({ spec }) =>
            (spec.tidb.additionalContainers = [
                container([
                    { name: "p", containerPort: 1 },
                    { name: "p", containerPort: 2 },
                ]),
            ]),
        "tidb.additionalContainers[0].ports[1].name",
    ],
    [
        "the name of a port of the member's container",
        ({ spec }) => (spec.tidb.additionalContainers = [container([{ name: "status", containerPort: 1 }], "tidb")]),
        "tidb.additionalContainers[0].ports[0].name",
    ],
    [
        "a port of the node",
        ({ spec }) => {
            spec.tidb.hostNetwork = true;
            spec.tidb.additionalContainers = [container([{ containerPort: 4000 }])];
        },
        "tidb.additionalContainers[0].ports[0].containerPort",
    ],
    [
        "a volume of discovery",
        ({ spec }) => (spec.discovery = { additionalVolumes: twice({ name: "a", emptyDir: {} }) }),
        "discovery.additionalVolumes[1].name",
    ],
    [
        "a path in discovery",
        ({ spec }) =>
            (spec.discovery = {
                additionalVolumes: [{ name: "a", emptyDir: {} }],
                additionalVolumeMounts: [{ name: "a", mountPath: "/discovery" }],
            }),
        "discovery.additionalVolumeMounts[0].mountPath",
    ],
    ["a variable of discovery", ({ spec }) => (spec.discovery = { env: variables }), "discovery.env[1].name"],
    [
        "a Secret of the whole cluster",
        ({ spec }) => (spec.imagePullSecrets = twice({ name: "pull" })),
        "imagePullSecrets[1].name",
    ],
];

function fieldsOf(check: () => unknown): string[] {
    try {
        check();
        return [];
    } catch (error) {
        if (error instanceof ManifestError) {
            return error.problems.map(({ field }) => field);
        }
        throw error;
    }
}

const pod = {
    br: { cluster: "shop" },
    s3: { provider: "aws", region: "r", bucket: "b", prefix: "p" },
};
const pulls = { imagePullSecrets: twice({ name: "pull" }) };

describe("a pod that the API server refuses in the middle of an update, for what it has twice", () => {
    for (const [what, change, field] of inCluster) {
        it(what, () => {
            const errors = problemsOf(smallCluster(change)).filter(({ severity }) => severity === "error");
            assert.deepEqual(
                errors.map((error) => error.field),
                [`spec.${field}`],
            );
        });
    }

    it("a variable and a Secret of a Backup and a Restore", () => {
        for (const kind of ["Backup", "Restore"] as const) {
            const manifest = { metadata: { name: "b" }, spec: { ...pod, env: variables, ...pulls } };
            assert.deepEqual(fieldsOf(() => checkBr(kind, manifest)).sort(), [
                "spec.env[1].name",
                "spec.imagePullSecrets[1].name",
            ]);
        }
    });

    it("a variable and a Secret of a BackupSchedule", () => {
        const spec = (more: object, template: object) => ({
            metadata: { name: "b" },
            spec: { schedule: "0 0 * * *", maxBackups: 3, ...more, backupTemplate: { ...pod, ...template } },
        });
        assert.deepEqual(
            fieldsOf(() => checkSchedule(spec({}, { env: variables }))),
            ["spec.backupTemplate.env[1].name"],
        );
        assert.deepEqual(
            fieldsOf(() => checkSchedule(spec(pulls, {}))),
            ["spec.imagePullSecrets[1].name"],
        );
    });

    it("a Secret of a TidbInitializer", () => {
        const spec = { cluster: { name: "shop" }, initSql: "select 1;", ...pulls };
        assert.deepEqual(
            initializerProblems({ spec }, "i", undefined).map(({ field }) => field),
            ["spec.imagePullSecrets[1].name"],
        );
    });

    it("is not said of what two containers may both have", () => {
        const errors = problemsOf(
            smallCluster(({ spec }) => {
                spec.tidb.additionalContainers = [
                    container([{ name: "server", containerPort: 81 }]),
                    container([{ name: "server", containerPort: 82 }, { containerPort: 4000 }], "other"),
                    container([{ name: "sql", containerPort: 4000 }], "tidb"),
                ];
                spec.tikv.hostNetwork = true;
                spec.tikv.additionalContainers = [
                    container([
                        { name: "dns", containerPort: 53, protocol: "UDP" },
                        { name: "dns-tcp", containerPort: 53 },
                    ]),
                ];
                spec.discovery = { env: [{ name: "A", value: "1" }] };
            }),
        ).filter(({ severity }) => severity === "error");
        assert.deepEqual(errors, []);
    });
});
