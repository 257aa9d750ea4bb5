import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkBrSchema } from "../../../components/br/brSchema";
import { initializerProblems } from "../../../components/initializer/rules";
import { localVolumesProblems } from "../../../components/localVolumes/rules";
import type { SpecProblem } from "../../../components/problem";
import { checkSchema } from "../../../components/validation/schema";
import { parse } from "yaml";
import { bounds } from "../../support/v1alpha1";
import { withValue } from "../../support/sampleFields";
import { problemsOf, smallCluster } from "./manifests";

/** The fields of a map by name, with `!` if required, and `[]` or `{}` for a list or a map of the type; or a type's name. */
type Tree = string | { readonly [field: string]: Tree };

const file = join(__dirname, "../../fixtures/v1alpha1-kubernetes.yaml");
const { fields: kubernetes } = parse(readFileSync(file, "utf8")) as { fields: Record<string, Tree> };
const ofCluster = Object.keys(bounds);

/** What is of no such type. */
const wrong: Readonly<Record<string, unknown>> = {
    string: 5,
    integer: 1.5,
    boolean: "yes",
    list: { no: "list" },
    object: "no map",
    quantity: ["no quantity"],
    intOrString: ["neither"],
};

type Case = readonly [path: string, value: unknown, reported: string];

/** Values of a wrong type for a field and for all in it, and maps without what they require. @param name with its marks */
function casesOf(parent: string, name: string, tree: Tree): Case[] {
    const path = `${parent}.${name.replace(/[!{[].*/, "")}`;
    const kind = name.endsWith("[]") ? "list" : name.endsWith("{}") ? "object" : undefined;
    const inner = kind === undefined ? path : `${path}${kind === "list" ? "[0]" : ".some"}`;
    const own: Case[] = [
        ...(kind === undefined ? [] : [[path, wrong[kind], path] as const]),
        [inner, wrong[typeof tree === "string" ? tree : "object"], inner],
    ];
    return typeof tree === "string"
        ? own
        : [
              ...own,
              ...Object.keys(tree)
                  .filter((field) => field.includes("!"))
                  .map((field): Case => [inner, {}, `${inner}.${field.replace(/!.*/, "")}`]),
              ...Object.entries(tree).flatMap(([field, one]) => casesOf(inner, field, one)),
          ];
}

/** The cases of a field of a Kubernetes type, by its name. */
function casesAt(path: string): Case[] {
    const [parent, name] = [path.replace(/\.\w+$/, ""), path.replace(/.*\./, "")];
    const known = Object.entries(kubernetes).find(
        ([one]) => one.replace("[]", "") === name.replace("additionalContainers", "initContainers"),
    );
    return known === undefined ? [] : casesOf(parent, known[0].replace(/^\w+/, name), known[1]);
}

function assertRefused(cases: readonly Case[], problems: (path: string, value: unknown) => readonly SpecProblem[]) {
    const passed = cases.filter(
        ([path, value, reported]) =>
            !problems(path.replaceAll("[0]", "[]"), value).some(
                ({ field, severity }) => severity === "error" && field.startsWith(reported),
            ),
    );
    assert.deepEqual(passed, []);
}

describe("an update that the API server refuses in the middle, for a value of a wrong type in a field of Kubernetes'", () => {
    const fields = ofCluster.filter((path) => casesAt(path.replaceAll("[]", "[0]")).length > 0);

    for (const path of fields) {
        const cases = casesAt(path.replaceAll("[]", "[0]"));
        it(`${path}: none of ${cases.length} values passes`, () => {
            assertRefused(
                cases,
                (at, value) =>
                    checkSchema(withValue({ metadata: { name: "shop" }, spec: {} }, at, value), "error").problems,
            );
        });
    }

    it("every member has such fields, and so have discovery and the cluster", () => {
        const members = new Set(fields.map((path) => path.split(".").slice(0, -1).join(".")));
        const expected = ["pd", "pdms[]", "tikv", "tidb", "tiflash", "ticdc", "tiproxy", "pump", "discovery"];
        for (const member of ["spec", ...expected.map((name) => `spec.${name}`)]) {
            assert.ok(members.has(member), member);
        }
        assert.ok(fields.length > 90, `${fields.length} fields`);
    });

    it("names the field of the spec, what was found, and what was expected", () => {
        const messages = problemsOf(
            smallCluster(({ spec }) => {
                spec.pd.tolerations = [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: "60" }];
                spec.pd.podSecurityContext = { fsGroup: "1000", runAsNonRoot: "true" };
                spec.tidb.lifecycle = { preStop: { exec: { command: "sleep 10" } } };
            }),
        ).map(({ message }) => message);
        assert.deepEqual(messages, [
            'spec.pd.tolerations[0].tolerationSeconds: found the text "60", expected a whole number; remove the quotes',
            'spec.pd.podSecurityContext.fsGroup: found the text "1000", expected a whole number; remove the quotes',
            'spec.pd.podSecurityContext.runAsNonRoot: found the text "true", expected true or false; remove the quotes',
            'spec.tidb.lifecycle.preStop.exec.command: found the text "sleep 10", expected a list',
        ]);
    });

    it("a field that only a newer Kubernetes has is passed on", () => {
        assert.deepEqual(
            problemsOf(smallCluster(({ spec }) => (spec.tidb.lifecycle = { stopSignal: "SIGTERM", newer: { of: 1 } }))),
            [],
        );
    });

    it("a field that is misspelt is refused, at any depth: the API server would refuse it in the middle of the update", () => {
        const messages = problemsOf(
            smallCluster(({ spec }) => {
                spec.pd.tolerations = [{ key: "a", operator: "Exists", efect: "NoExecute" }];
                spec.tikv.affinity = {
                    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologKey: "a" }] },
                };
                spec.tidb.additionalContainers = [{ name: "more", image: "x", env: [{ name: "A", vaule: "b" }] }];
            }),
        ).map(({ message }) => message);
        for (const expected of [
            "spec.pd.tolerations[0].efect is not a known field; did you mean effect?",
            /^spec\.tikv\.affinity\.podAntiAffinity\.\w+\[0\]\.topologKey is not a known field, and topologyKey is missing; did you mean topologyKey\?$/,
            "spec.tidb.additionalContainers[0].env[0].vaule is not a known field; did you mean value?",
        ]) {
            assert.ok(
                messages.some((one) => (typeof expected === "string" ? one === expected : expected.test(one))),
                messages.join("\n"),
            );
        }
    });

    for (const kind of ["Backup", "Restore", "CompactBackup"] as const) {
        for (const name of [
            "affinity",
            "tolerations",
            "podSecurityContext",
            "additionalVolumes",
            "additionalVolumeMounts",
            "imagePullSecrets",
        ]) {
            it(`spec.${name} of a ${kind}`, () => {
                assertRefused(casesAt(`spec.${name}`), (at, value) =>
                    checkBrSchema(kind, withValue({ kind, metadata: { name: "b" }, spec: {} }, at, value)),
                );
            });
        }
    }

    for (const name of ["tolerations", "podSecurityContext", "imagePullSecrets"]) {
        it(`spec.${name} of a TidbInitializer`, () => {
            assertRefused(casesAt(`spec.${name}`), (at, value) =>
                initializerProblems(
                    withValue({ spec: { cluster: { name: "shop" }, initSql: "SELECT 1" } }, at, value),
                    "first",
                    undefined,
                ),
            );
        });
    }

    it("an Output in a field of a TidbInitializer is not refused", () => {
        const later = { __pulumiOutput: true };
        const spec = { cluster: { name: "shop" }, initSql: "SELECT 1", resources: { limits: { cpu: later } } };
        assert.deepEqual(initializerProblems({ spec }, "first", undefined), []);
    });

    it("the tolerations, resources and node selector of LocalVolumes", () => {
        const args = {
            classes: [{ name: "ssd", hostDir: "/mnt/ssd" }],
            tolerations: [{ key: 5 }],
            resources: { limits: "1" },
            nodeSelector: { disk: true },
            priorityClassName: 7,
        };
        assert.deepEqual(
            localVolumesProblems(args, "local")
                .map(({ field }) => field)
                .sort(),
            ["nodeSelector.disk", "priorityClassName", "resources.limits", "tolerations[0].key"],
        );
    });
});
