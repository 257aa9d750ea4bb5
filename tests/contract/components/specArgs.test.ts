import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { generateSpecArgs, specArgsFile } from "../../../scripts/specArgs";
import { documentationIn } from "../../support/quickInfo";
import { typeErrors } from "../../support/typeErrors";

const imports = `import * as pulumi from "@pulumi/pulumi";
import { TidbCluster, type TidbClusterManifest, type TidbClusterSpec } from "pulumi-tidb";
declare const later: pulumi.Output<string>;
declare const manifest: TidbClusterManifest;
`;
const cluster = (spec: string): string => `new TidbCluster("mine", { spec: ${spec} });`;

/** Programs that compile. */
const accepted: Record<string, string> = {
    "a spec in a constant, for two clusters": `const spec = {
            version: "v8.5.3",
            imagePullPolicy: "Always",
            pd: { replicas: 3, requests: { storage: "10Gi" }, mode: "ms", config: {} },
            pdms: [{ name: "tso", replicas: 2 }],
            tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" } },
        };
        new TidbCluster("one", { spec });
        new TidbCluster("two", { spec });`,
    "an Output in place of a text, a number, a list, a map and a member": `
        const replicas = later.apply(Number);
        ${cluster(`{ version: later, pdAddresses: pulumi.all([later]), pd: { replicas, config: later },
            annotations: { team: later }, tidb: pulumi.output({ replicas: 2, service: { type: "ClusterIP" } }) }`)}`,
    "an Output in a list, in a table of configuration and in a resource": cluster(`{ pdAddresses: [later],
            tikv: { replicas: 3, requests: { storage: later, "hugepages-2Mi": later }, config: { log: { level: later } } } }`),
    "a promise": cluster(`{ version: Promise.resolve("v8.5.3") }`),
    "the spec of a manifest": cluster("manifest.spec"),
    "an Output of a whole member's spec": `declare const pd: pulumi.Output<NonNullable<TidbClusterSpec["pd"]>>;
        ${cluster("{ pd }")}`,
};

/** Programs that do not compile, with a word of the error. */
const refused: Record<string, [program: string, error: RegExp]> = {
    "a misspelt field": [cluster(`{ tikv: { replicas: 3, request: {} } }`), /'request' does not exist/],
    "a text in place of a number": [
        cluster(`{ tikv: { replicas: "3" } }`),
        /'string' is not assignable to type 'Input<number>/,
    ],
    "a number in place of a choice": [cluster(`{ imagePullPolicy: 1 }`), /'number' is not assignable/],
    "a member without its replicas": [cluster(`{ tikv: {} }`), /'{}' is not assignable to type 'Input<TikvSpecArgs>/],
};

/** Words with a mark, and the documentation that an editor shows. */
const documented: Record<string, RegExp> = {
    '{ tikv: { replicas: 3, requests: { /*?*/storage: "100Gi" } } }': /^Storage, in bytes: `100Gi`\./,
    '{ tidb: { replicas: 2, service: { /*?*/type: "ClusterIP" } } }': /^Service type\. Default: ClusterIP\./,
    '{ pdms: [{ /*?*/name: "tso", replicas: 1 }] }': /^Name of the microservice\./,
    "{ /*?*/tiflash: { replicas: 1 } }": /^TiFlash\. Default: none\./,
};

describe("the types of a program's spec", function () {
    this.timeout(300_000);

    it("are what `npm run schema` makes from the current sources", async () => {
        assert.equal(readFileSync(specArgsFile, "utf8"), await generateSpecArgs(), "run npm run schema");
    });

    it("accept valid values", () => {
        const programs = Object.values(accepted).map(
            (text, index) => [`accepted-${index}.ts`, imports + text] as const,
        );
        assert.equal(typeErrors(new Map(programs)), "");
    });

    it("refuse invalid values", () => {
        const programs = Object.entries(refused);
        const texts = programs.map(([, [text]], index) => [`refused-${index}.ts`, imports + text] as const);
        const lines = typeErrors(new Map(texts)).split(/\n(?=\S)/);
        programs.forEach(([name, [, error]], index) => {
            const errors = lines.filter((line) => line.includes(`refused-${index}.ts`));
            assert.match(errors.join("\n"), error, name);
        });
    });

    for (const [spec, expected] of Object.entries(documented)) {
        it(`show an editor the comment of the marked word in ${spec}`, () => {
            assert.match(documentationIn(imports + cluster(spec)), expected);
        });
    }
});
