import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fc from "fast-check";
import { stringify } from "yaml";
import { convert } from "../../../bin/convertCommand";
import { render } from "../../../bin/renderCommand";
import { checkManifest } from "../../../components/checkManifest";
import { ManifestError } from "../../../components/problem";
import { commandInOneFile } from "../../support/inOneFile";
import { goldenCases, goldenNote, ownCases } from "../../support/goldenCases";
import { mutatedManifest, oneFieldChanged } from "../../support/mutatedManifest";
import { anyCharacter } from "../../support/plainValues";
import { type OpenManifest, smallCluster } from "../../unit/components/manifests";

/** Longer than anything takes on a machine that does much else, and shorter than what never ends. */
const enoughMilliseconds = 30_000;

/** What holds of every answer, whatever was asked. */
function assertAnswer({ output, errors, exitCode }: { output: string; errors: string; exitCode: number | null }): void {
    assert.doesNotMatch(errors, /^\s+at .*[:(]\d+/m, "a stack trace");
    assert.doesNotMatch(errors, /node:internal|RangeError|TypeError|maximum call stack|--trace-/i);
    if (exitCode === 0) {
        const objects = JSON.parse(output) as { kind: unknown; metadata: { name: unknown } }[];
        assert.ok(objects.length > 0);
        assert.ok(objects.every(({ kind, metadata }) => typeof kind === "string" && typeof metadata.name === "string"));
        assert.match(errors, /^(warning: .*\n)*$/);
    } else {
        assert.equal(exitCode, 1);
        assert.equal(output, "");
        assert.match(errors, /^(warning: .*\n)*error: .*: \d+ errors?\n( {2}- .*\n)+$/);
    }
}

describe(`render, with random changes to our own manifests ${goldenNote}`, () => {
    const manifests = [...ownCases(), ...goldenCases()].map(({ manifest }) => manifest);

    it("returns all objects or errors by field, and so does convert, which leaves unknown fields out", () => {
        fc.assert(
            fc.property(mutatedManifest([smallCluster(), ...manifests]), fc.boolean(), (manifest, asYaml) => {
                const text = asYaml ? stringify(manifest, { version: "1.1" }) : JSON.stringify(manifest);
                const answer = render(["fuzz"], "json", () => text);
                assertAnswer(answer);
                const reasons = answer.errors.match(/^ {2}- .*$/gm) ?? [];
                if (answer.exitCode === 0 || !reasons.every((line) => line.includes(" is not a known field"))) {
                    assert.equal(convert(["fuzz"], () => text).exitCode, answer.exitCode);
                }
            }),
            { numRuns: 400 },
        );
    }).timeout(120_000);

    it("handles each field that is missing, empty or of another kind", () => {
        const told = new Set<string>();
        for (const manifest of [smallCluster(), ...manifests]) {
            for (const { path, changed } of oneFieldChanged(manifest, told)) {
                try {
                    checkManifest(changed);
                } catch (error) {
                    assert.ok(error instanceof ManifestError, `${path}: ${(error as Error).stack}`);
                }
            }
        }
        assert.ok(told.size > 80);
    }).timeout(120_000);

    it("handles text that is nearly YAML", () => {
        const whole = stringify(smallCluster());
        const cut = fc.tuple(fc.nat(whole.length), fc.nat(20), fc.string({ unit: anyCharacter, maxLength: 8 }));
        fc.assert(
            fc.property(cut, ([at, length, inserted]) => {
                assertAnswer(render(["fuzz"], "json", () => whole.slice(0, at) + inserted + whole.slice(at + length)));
            }),
            { numRuns: 300 },
        );
    }).timeout(120_000);
});

describe("a manifest from a program that YAML cannot express", () => {
    const cases: Record<string, unknown> = {
        "a value within itself": circular(),
        "one small value that stands for 2^40": shared(),
        functions: smallCluster(({ spec }) => (spec.pd.replicas = () => 3)),
        dates: smallCluster(({ spec }) => (spec.version = new Date(0))),
        "big integers": smallCluster(({ spec }) => (spec.tikv.replicas = 3n)),
        symbols: smallCluster(({ spec }) => (spec.tikv.version = Symbol("v"))),
        maps: smallCluster(({ spec }) => (spec.tikv.config = new Map([["a", 1]]))),
        "holes in lists": smallCluster(({ spec }) => (spec.tikv.env = new Array(3))),
        "a map without prototype": smallCluster(({ spec }) => (spec.pd = Object.assign(Object.create(null), spec.pd))),
        nothing: undefined,
    };
    for (const [title, manifest] of Object.entries(cases)) {
        it(`is checked or refused: ${title}`, () => {
            const began = Date.now();
            try {
                checkManifest(manifest);
            } catch (error) {
                assert.ok(error instanceof ManifestError, String(error));
            }
            assert.ok(Date.now() - began < enoughMilliseconds);
        });
    }
});

describe("the command pulumi-tidb render", () => {
    const many = <T>(make: (index: number) => T, count = 20_000): T[] =>
        Array.from({ length: count }, (_, i) => make(i));
    const entries = (make: (index: number) => unknown) => Object.fromEntries(many((i) => [`a${i}`, make(i)]));
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    const changed = (change: (spec: OpenManifest["spec"]) => unknown) =>
        JSON.stringify(smallCluster(({ spec }) => void change(spec)));
    const start = "kind: TidbCluster\nmetadata: { name: a }\n";
    const texts: Record<string, string | Buffer> = {
        "nothing at all": "",
        "documents without content": "---\n---\n...\n",
        "bytes that are not text": Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]),
        "aliases of aliases": `${start}spec:\n  x0: &x0 [l, l]\n${many((i) => `  x${i + 1}: &x${i + 1} [*x${i}, *x${i}]`, 40).join("\n")}\n`,
        "merges of merges": `x0: &x0 { a: 1 }\n${many((i) => `x${i + 1}: &x${i + 1} { <<: [*x${i}, *x${i}] }`, 40).join("\n")}\n`,
        "an anchor within itself": `${start}spec: &a { pd: *a, tikv: { config: &b { a: [*a, *b, *b] } } }\n`,
        "nested lists": `${start}spec: ${nested(100_000)}\n`,
        "nested maps": `${start}spec:\n${many((i) => `${" ".repeat(i + 1)}a:\n`, 2_000).join("")}`,
        "nested tables of TOML": changed((spec) => (spec.pd.config = `${"a.".repeat(50_000)}a = 1`)),
        "nested lists of TOML": changed((spec) => (spec.pd.config = `a = ${nested(50_000)}`)),
        "keys that are lists": `${start}spec:\n  ? [a, b]\n  : 1\n`,
        "tags of other languages": `${start}spec: !!js/function 'function () { return 1 }'\n`,
        "a list of 20,000 wrong items": changed((spec) => (spec.pd.env = many((i) => i))),
        "a map of 20,000 wrong values": changed((spec) => (spec.pd.requests = entries(() => ({})))),
        "20,000 unknown fields": changed((spec) => Object.assign(spec, entries(Number))),
        "a name of a million letters": changed((spec) => (spec["versio".repeat(200_000)] = 1)),
        "numbers beyond any size": changed((spec) => {
            spec.pd.requests.storage = `1e${"9".repeat(1_000)}`;
            spec.tikv.requests.storage = `${"9".repeat(100_000)}Gi`;
            spec.tikv.evictLeaderTimeout = `${"9".repeat(100_000)}h`;
            spec.tidb.replicas = 1e300;
        }),
        prototypes: `{"kind":"TidbCluster","metadata":{"name":"a","__proto__":{"x":1}},"__proto__":{},"spec":{"__proto__":{"pd":{}},"constructor":{"prototype":{}},"toString":1,"pd":{"replicas":1,"config":{"__proto__":{"a":1}},"requests":{"__proto__":"1","storage":"1Gi"}}}}`,
    };

    for (const [title, text] of Object.entries(texts)) {
        it(`answers in time to ${title}`, async () => {
            assertAnswer(await run(text));
        }).timeout(2 * enoughMilliseconds);
    }
});

/** Runs the command, and kills it where it does not end. */
function run(input: string | Buffer): Promise<{ output: string; errors: string; exitCode: number | null }> {
    const child = spawn(process.execPath, [commandInOneFile(), "render", "-"], {
        timeout: enoughMilliseconds,
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => output.push(part));
    child.stderr.on("data", (part: Buffer) => errors.push(part));
    child.stdin.end(input);
    return new Promise((resolve) => {
        child.on("close", (exitCode) =>
            resolve({ output: String(Buffer.concat(output)), errors: String(Buffer.concat(errors)), exitCode }),
        );
    });
}

function circular(): unknown {
    const manifest = smallCluster();
    manifest.spec.pd.config = { a: manifest, b: manifest.spec };
    return manifest;
}

function shared(): unknown {
    const manifest = smallCluster();
    let value: unknown = 1;
    for (let level = 0; level < 40; level++) {
        value = { a: value, b: value };
    }
    manifest.spec.pd.config = value;
    return manifest;
}
