import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type PumpStartScriptOptions, pumpStartScript } from "../../../components/pump/startScript";
import { type TicdcStartScriptOptions, ticdcStartScript } from "../../../components/ticdc/startScript";
import { tiproxyStartScript } from "../../../components/tiproxy/startScript";
import { createPod, type Pod, type RunOptions, type ScriptRun, shells } from "./scriptRun";
import { itPassesShellcheck } from "./shellcheck";

// Arguments as reference documentation of the operator lists them (start scripts, arguments in order).

const basic = { clusterName: "basic", scheme: "http" } as const;
const prefers = {
    version: "v2",
    featureFlags: ["PreferPDAddressesOverDiscovery"],
    pdAddresses: ["http://elsewhere-0:2379", "http://elsewhere-1:2379"],
} as const;
const ticdc = (more: Partial<TicdcStartScriptOptions> = {}) =>
    ticdcStartScript({
        ...basic,
        arguments: { gcTtl: "86400", logLevel: "info", logFile: "" },
        hasConfigFile: false,
        ...more,
    });
const pump = (more: Partial<PumpStartScriptOptions> = {}) =>
    pumpStartScript({ ...basic, namespace: "tidb", logLevel: "info", ...more });

const ticdcAddress = "basic-ticdc-1.basic-ticdc-peer.tidb.svc";
const ticdcWords = (more: { address?: string; listen?: string; pd?: string; before?: string[]; after?: string[] }) => [
    "server",
    `--addr=${more.listen ?? "0.0.0.0"}:8301`,
    `--advertise-addr=${more.address ?? ticdcAddress}:8301`,
    "--gc-ttl=86400",
    "--log-file=",
    "--log-level=info",
    ...(more.before ?? []),
    `--pd=${more.pd ?? "http://basic-pd:2379"}`,
    ...(more.after ?? []),
];
const certificates = [
    "--ca=/var/lib/ticdc-tls/ca.crt",
    "--cert=/var/lib/ticdc-tls/tls.crt",
    "--key=/var/lib/ticdc-tls/tls.key",
];
const file = "--config=/etc/ticdc/ticdc.toml";
const pumpWords = (address = "basic-pump-1.basic-pump", pd = "http://basic-pd:2379") => [
    `-pd-urls=${pd}`,
    "-L=info",
    `-advertise-addr=${address}:8250`,
    "-config=/etc/pump/pump.toml",
    "-data-dir=/data",
    "-log-file=",
];

const rows: [title: string, script: string, pod: string, expected: string[]][] = [
    ["TiCDC", ticdc(), "basic-ticdc-1", ticdcWords({})],
    [
        "TiCDC with TLS and a configuration file",
        ticdc({ scheme: "https", hasConfigFile: true }),
        "basic-ticdc-1",
        ticdcWords({ before: certificates, pd: "https://basic-pd:2379", after: [file] }),
    ],
    [
        "TiCDC like the second script: certificates behind PD",
        ticdc({ scheme: "https", hasConfigFile: true, version: "v2" }),
        "basic-ticdc-1",
        ticdcWords({ pd: "https://basic-pd:2379", after: [...certificates, file] }),
    ],
    [
        "TiCDC with a cluster domain, on IPv6",
        ticdc({ clusterDomain: "one.example", preferIPv6: true }),
        "basic-ticdc-1",
        ticdcWords({ address: `${ticdcAddress}.one.example`, listen: "[::]" }),
    ],
    [
        "TiCDC that prefers given addresses takes them as they are (v2)",
        ticdc(prefers),
        "basic-ticdc-1",
        ticdcWords({ pd: "http://elsewhere-0:2379,http://elsewhere-1:2379" }),
    ],
    [
        "TiCDC of a cluster that joins another",
        ticdc({ hasPd: false, referenceCluster: { name: "first" } }),
        "basic-ticdc-1",
        ticdcWords({ pd: "http://first-pd:2379" }),
    ],
    ["Pump", pump(), "basic-pump-1", pumpWords()],
    [
        "Pump like the second script",
        pump({ version: "v2" }),
        "basic-pump-1",
        [
            "-pd-urls=http://basic-pd:2379",
            "-L",
            "info",
            "-log-file=",
            "-advertise-addr=basic-pump-1.basic-pump:8250",
            "-data-dir=/data",
            "--config=/etc/pump/pump.toml",
        ],
    ],
    [
        "Pump with a cluster domain",
        pump({ clusterDomain: "one.example", scheme: "https" }),
        "basic-pump-1",
        pumpWords("basic-pump-1.basic-pump.tidb.svc.one.example", "https://basic-pd:2379"),
    ],
];

const scripts = [
    ...rows.map(([, script]) => script),
    ...([undefined, "v2"] as const).flatMap((version) => [
        ticdc({ version, acrossK8s: true, discoveryMtls: true, scheme: "https" }),
        ticdc({ version, acrossK8s: true }),
        pump({ version, acrossK8s: true, clusterDomain: "one.example" }),
        tiproxyStartScript({ ...basic, version, clusterDomain: "one.example" }),
    ]),
];

/** The container's program is the stand-in. */
const start = (pod: Pod, script: string, options: RunOptions): ScriptRun =>
    pod.run(script.replace(/(?<=^|exec )\/(pump|cdc) "\$@"/m, `${join(pod.folder, "program")} "$@"`), options);

describe("start scripts of TiCDC, Pump and TiProxy", () => {
    let pod: Pod;
    let run: ScriptRun | undefined;
    afterEach(async () => {
        run?.kill("SIGTERM");
        await run?.done;
        run = undefined;
        pod?.remove();
    });

    async function started(script: string, options: RunOptions = {}): Promise<string[]> {
        run = start(pod, script, options);
        const until = Date.now() + 8_000;
        while (pod.starts().length === 0 && Date.now() < until) {
            await pause(20);
        }
        return pod.starts()[0] ?? [(await run.done).output];
    }

    for (const shell of shells) {
        it(`${shell.name} -n accepts every script`, () => {
            for (const script of scripts) {
                const { status, stderr } = spawnSync(shell.command[0], [...shell.command.slice(1), "-n"], {
                    input: script,
                });
                assert.equal(status, 0, `${stderr.toString()}\n${script}`);
            }
        });
        for (const [title, script, name, expected] of rows) {
            it(`${shell.name}: ${title}`, async () => {
                pod = createPod(name);
                const options = { shell: shell.command, certificates: "/var/lib/ticdc-tls" };
                assert.deepEqual(await started(script, options), expected);
            });
        }

        for (const [help, expected] of [
            [
                "  --advertise-addr string",
                ["--config=/etc/proxy/proxy.toml", "--advertise-addr=basic-tiproxy-0.basic-tiproxy-peer.tidb.svc"],
            ],
            ["  --config string", ["--config=/etc/proxy/proxy.toml"]],
        ] as const) {
            it(`${shell.name}: TiProxy whose help says "${help.trim()}"`, async () => {
                pod = createPod("basic-tiproxy-0");
                const program = join(pod.folder, "tiproxy");
                const text = `#!/bin/sh\n[ "$1" = --help ] && { echo '${help}' >&2; exit 0; }\nexec ${join(pod.folder, "program")} "$@"\n`;
                writeFileSync(program, text);
                chmodSync(program, 0o755);
                const script = tiproxyStartScript(basic).replaceAll("/bin/tiproxy", program);
                const options = { shell: shell.command, certificates: "/var/lib/ticdc-tls" };
                assert.deepEqual(await started(script, options), expected);
            });
        }

        it(`${shell.name}: do not restart a Pump that has gone offline, so its pod can be removed`, async () => {
            pod = createPod("basic-pump-1");
            await started(pump(), { shell: shell.command });
            await pause(300);
            assert.equal(await Promise.race([run?.done, pause(1).then(() => "waits")]), "waits");
            run?.kill("SIGTERM");
            const { code, output } = (await run?.done) ?? {};
            assert.equal(code, 0, output);
            assert.match(output ?? "", /offline/);
            assert.equal(pod.starts().length, 1);
        });

        for (const line of ["trap 'exit 0'", 'if [ -n "$stopping" ]', 'echo "Pump is offline']) {
            it(`${shell.name}: end at the signal that comes just before: ${line}`, async () => {
                pod = createPod("basic-pump-1");
                const script = pump().replace(line, () => `kill -TERM "$$"\n${line}`);
                run = start(pod, script, { shell: shell.command });
                const ended = await Promise.race([run.done, pause(5_000)]);
                assert.equal(ended?.code, 0, ended?.output ?? "the script waits on");
            });
        }

        it(`${shell.name}: pass the signal that ends the pod to Pump, and end with it`, async () => {
            const caught =
                '#!/bin/sh\ntrap \'echo "pump pauses"; exit 0\' TERM\n: >"$POD_FOLDER/starts.1.done"\nwhile :; do /bin/sleep 0.05; done\n';
            pod = createPod("basic-pump-1", caught);
            await started(pump(), { shell: shell.command });
            run?.kill("SIGTERM");
            const { code, output } = (await run?.done) ?? {};
            assert.match(output ?? "", /pump pauses/);
            assert.doesNotMatch(output ?? "", /offline/);
            assert.equal(code, 0, output);
        });

        it(`${shell.name}: end with the exit code of a Pump that fails`, async () => {
            pod = createPod("basic-pump-1", '#!/bin/sh\n: >"$POD_FOLDER/starts.1.done"\nexit 7\n');
            await started(pump(), { shell: shell.command });
            assert.equal((await run?.done)?.code, 7);
        });
    }

    itPassesShellcheck(scripts);

    it("contain no variable of Kubernetes in a script that is part of a command", () => {
        // https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container: $(NAME) is
        // replaced where the container has such a variable, and $$( becomes $(.
        for (const script of scripts.filter((one) => !one.includes("tiproxy"))) {
            assert.doesNotMatch(script, /\$\((POD_NAME|NAMESPACE|HEADLESS_SERVICE_NAME|TZ|HOSTNAME)\)/);
            assert.doesNotMatch(script.replace(/\$\([^)]*\)/g, ""), /\$\$/);
        }
    });
});
