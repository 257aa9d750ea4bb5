import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupScript } from "../../../components/br/schedule/retentionScript";
import { withDefaults } from "../../../components/defaults";
import type { Container } from "../../../components/kubernetes/pod";
import { shellWord, shellWordWithVariables, withinQuotes } from "../../../components/kubernetes/shellQuote";
import { renderCluster } from "../../../components/render";
import { tikvStartScript } from "../../../components/tikv/startScript";
import { asKubernetes, readScript, type ShellText, shellTexts } from "../../support/shellTexts";
import { variants, withText } from "./fullCluster";
import { findProgram, shells } from "./scriptRun";

/** Values that would run `pwn`, be split or be lost without quotes. Paths lose empty parts, so there is no slash. */
const hostile = [
    "a; pwn && pwn || pwn | pwn & pwn > pwned < pwned $(pwn)`pwn` b  c * ? ~ [x] \\$(pwn)\\ $$b$(POD_NAME)$NAMESPACE${x}c $(un",
    "a'; pwn; '$(pwn)",
    'a"; pwn; "\'$(pwn)',
    "a\npwn\n#b",
];

/** Fields that reach a shell, by the cluster in which they do. */
const places: readonly (readonly [variant: keyof typeof variants, paths: readonly string[]])[] = [
    [
        "of one Kubernetes cluster",
        [
            ...["metadata.name", "metadata.namespace", "spec.clusterDomain"],
            ...["name", "value"].map((part) => `spec.podSecurityContext.sysctls.0.${part}`),
            ...["spec.pd.dataSubDir", "spec.tikv.dataSubDir", "spec.tikv.additionalVolumeMounts.0.mountPath"],
            ...["spec.tidb.additionalVolumeMounts.0.mountPath", "spec.tidb.plugins.0"],
            "spec.tidb.customizedStartupProbe.binaryName",
            ...["spec.pump.config.log-level", "spec.ticdc.config.log-level", "spec.ticdc.config.log-file"],
            ...["logger\nlog", "logger\nerrorlog", "flash\nflash_cluster\nlog"].map(
                (key) => `spec.tiflash.config.config.${key}`,
            ),
        ],
    ],
    ["across Kubernetes clusters", ["metadata.name", "metadata.namespace", "spec.clusterDomain"]],
    ["with the second scripts and addresses of PD", ["spec.pdAddresses.0", "spec.clusterDomain"]],
    ["of microservices", ["metadata.name", "spec.clusterDomain"]],
    ["that joins another", ["spec.cluster.name", "spec.cluster.namespace", "spec.cluster.clusterDomain"]],
];

/** Stands for each program: it notes its arguments. Those of the members fail, so that Pump's script does not wait for its removal. */
const stub = `#!/bin/sh
printf '%s\\0' "$@" >>"$RECORD"
case \${0##*/} in
    pwn) : >"$FOLDER/pwned" ;;
    wget | curl) echo "--join=http://pd:2379" ;;
    nslookup) printf 'Name:\\t%s\\nAddress: 10.0.0.7\\n' "$1" ;;
    dig | getent | hostname) echo 10.0.0.7 ;;
    tiproxy) echo advertise-addr ;;
    touch | tail | cp | sleep | sysctl | date | br) ;;
    *) exit 3 ;;
esac
`;
const programs = [
    ...[
        "pwn",
        "wget",
        "curl",
        "nslookup",
        "dig",
        "getent",
        "hostname",
        "touch",
        "tail",
        "cp",
        "sleep",
        "sysctl",
        "date",
    ],
    ...["br", "pd-server", "tikv-server", "tidb-server", "cdc", "pump", "tiproxy", "tiflash"],
];

describe("hostile values in scripts, as shells run them", function () {
    this.timeout(120_000);
    let folder: string;
    const path = (name: string) => join(folder, name);

    before(() => {
        folder = fs.mkdtempSync(join(tmpdir(), "pulumi-tidb-hostile-"));
        ["bin", "data0", "tiflash"].forEach((name) => fs.mkdirSync(path(name)));
        programs.forEach((name) => fs.writeFileSync(path(`bin/${name}`), stub, { mode: 0o755 }));
        for (const tool of ["base64", "grep", "od", "sed", "sort", "tr"]) {
            fs.symlinkSync(findProgram(tool) ?? assert.fail(tool), path(`bin/${tool}`));
        }
        fs.writeFileSync(path("annotations"), 'prometheus.io/port="2379"\n');
        ["config_templ", "proxy_templ"].forEach((name) => fs.writeFileSync(path(`tiflash/${name}.toml`), "PD_ADDR\n"));
    });
    after(() => fs.rmSync(folder, { recursive: true }));

    /** Runs a script, and returns the arguments of all programs. Fails if a part of the value was run. */
    function argumentsOf(shell: readonly string[], script: string, where: string, ...words: string[]): string[] {
        fs.rmSync(path("record"), { force: true });
        fs.mkdirSync(path("cwd"), { recursive: true });
        const text = script
            .replaceAll("/etc/podinfo/annotations", path("annotations"))
            .replaceAll("/etc/tiflash", path("tiflash"))
            .replaceAll("/data0/", `${path("data0")}/`)
            .replace(/(\/bin|\/tiflash)?\/(?=(pd-server|tikv-server|tidb-server|cdc|pump|tiproxy|tiflash) )/g, "");
        const { stderr } = spawnSync(shell[0], [...shell.slice(1), "-c", text, "sh", ...words], {
            cwd: path("cwd"),
            env: { PATH: path("bin"), FOLDER: folder, RECORD: path("record"), POD_NAME: "pod-0", NAMESPACE: "db" },
            encoding: "utf8",
            timeout: 20_000,
        });
        const isRun = fs.existsSync(path("pwned")) || fs.readdirSync(path("cwd")).length > 0;
        assert.ok(!isRun, `a part of the value was run by ${where}:\n${text}\n${stderr}`);
        return fs.existsSync(path("record")) ? fs.readFileSync(path("record"), "utf8").split("\0") : [];
    }

    const textsOf = (manifest: object): ShellText[] =>
        shellTexts(renderCluster(withDefaults(structuredClone(manifest) as never) as never));
    const shown = (dotted: string) => dotted.replaceAll("\n", ".");

    // The images of the members have no bash.
    for (const shell of shells.filter(({ name }) => name !== "bash")) {
        for (const [variant, fields] of places) {
            for (const field of fields) {
                it(`${shell.name}: ${shown(field)} of a cluster ${variant} arrives whole, and runs nothing`, () => {
                    let arrived = 0;
                    for (const value of hostile) {
                        const changed = withText(variants[variant], field.replaceAll(".", "\n"), value);
                        for (const { where, text } of textsOf(changed)) {
                            // A script in which the value is only in a comment cannot hand it to a program.
                            if (!readScript(text).words.includes(value)) {
                                continue;
                            }
                            const found = argumentsOf(shell.command, text, where);
                            assert.ok(
                                found.some((one) => one.includes(value)),
                                `${value} has not arrived by ${where}:\n${text}\n${JSON.stringify(found)}`,
                            );
                            arrived++;
                        }
                    }
                    assert.ok(arrived >= hostile.length, `${arrived}`);
                });
            }
        }

        it(`${shell.name}: a cluster to join in the namespace of the script's pod arrives whole, and runs nothing`, () => {
            for (const value of hostile) {
                const referenceCluster = { name: value, clusterDomain: value };
                const script = tikvStartScript({
                    clusterName: "basic",
                    scheme: "http",
                    hasPd: false,
                    referenceCluster,
                });
                const found = argumentsOf(shell.command, script, "tikvStartScript");
                assert.ok(found.includes(`--pd=http://${value}-pd.db.svc.${value}:2379`), JSON.stringify(found));
            }
        });

        it(`${shell.name}: the name of a schedule's run arrives whole`, () => {
            for (const value of hostile) {
                const found = argumentsOf(shell.command, backupScript(value, false), "backupScript", "s3://b/", "?x");
                assert.ok(found.includes(`--storage=s3://b/${value}?x`), JSON.stringify(found));
            }
        });

        it(`${shell.name}: any text is one word, between double quotes, and with variables`, () => {
            const characters = "a1 \n\t'\"`$(){}[]\\;&|<>*?~#!=%^,.:/@+-é";
            let state = 7;
            const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
            const texts = ["", ...hostile].concat(
                Array.from({ length: 300 }, () =>
                    Array.from({ length: random(12) }, () => [...characters][random(characters.length)]).join(""),
                ),
            );
            const words = texts.flatMap((text) => [shellWord(text), `"$a.${withinQuotes(text)}.$a"`]);
            const literal = texts.filter((text) => !/\$(\{[A-Za-z_]|[A-Za-z_])/.test(text));
            const script = `a=A\npwn "" ${[...words, ...literal.map(shellWordWithVariables)].join(" ")}\nrm -f "$FOLDER/pwned"`;
            fs.symlinkSync(findProgram("rm") ?? assert.fail(), path("bin/rm"));
            const found = argumentsOf(shell.command, script, "words").slice(1, -1);
            fs.rmSync(path("bin/rm"));
            assert.deepEqual(found, [...texts.flatMap((text) => [text, `A.${text}.A`]), ...literal]);
        });
    }

    it("TiDB writes its slow log to the file that the sidecar prints", () => {
        for (const value of hostile) {
            const changed = withText(
                variants["of one Kubernetes cluster"],
                "spec\ntidb\nadditionalVolumeMounts\n0\nmountPath",
                `/${value}`,
            );
            const tidb = renderCluster(withDefaults(changed as never) as never).find(
                ({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "basic-tidb",
            );
            const { containers } = tidb?.spec.template.spec as { containers: Container[] };
            const env = containers.flatMap((one) => (one.env ?? []) as { name: string; value?: string }[]);
            const file = env.find(({ name }) => name === "SLOW_LOG_FILE")?.value ?? "";
            assert.equal(asKubernetes(file, ["POD_NAME"]), `/${value}/more`);
        }
    });
});
