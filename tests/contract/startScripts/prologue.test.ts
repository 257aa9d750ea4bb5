import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pdStartScript } from "../../../components/pd/startScript";
import { pdMicroserviceStartScript } from "../../../components/pdms/startScript";
import type { StartScriptFeatureFlag } from "../../../components/spec";
import { tidbStartScript } from "../../../components/tidb/startScript";
import { tikvStartScript } from "../../../components/tikv/startScript";
import { createPod, shells, type Pod } from "./scriptRun";
import { itPassesShellcheck } from "./shellcheck";

const basic = { clusterName: "basic", scheme: "http" } as const;
const match: readonly StartScriptFeatureFlag[] = ["WaitForDnsNameIpMatch"];
const everyKind: [string, string, string][] = [
    ["PD", "basic-pd-0", pdStartScript(basic)],
    ["PD's microservice", "basic-tso-0", pdMicroserviceStartScript({ ...basic, name: "tso", isNamed: true })],
    ["TiKV", "basic-tikv-0", tikvStartScript(basic)],
    ["TiDB", "basic-tidb-0", tidbStartScript(basic)],
];
const tso = (more: object = {}) => pdMicroserviceStartScript({ ...basic, name: "tso", isNamed: true, ...more });
const allScripts: string[] = [
    tso({ initWaitTime: 3, startTimeout: 5 }),
    tso({ scheme: "https", discoveryMtls: true, acrossK8s: true, clusterDomain: "one.example", featureFlags: match }),
    pdStartScript({ ...basic, microservices: true }),
    ...everyKind.map(([, , script]) => script),
    ...[pdStartScript, tikvStartScript, tidbStartScript].flatMap((script) => [
        script({ ...basic, acrossK8s: true, clusterDomain: "one.example", preferIPv6: true }),
        script({ ...basic, scheme: "https", discoveryMtls: true, acrossK8s: true, version: "v2", featureFlags: match }),
        script({ ...basic, version: "v2", featureFlags: ["PreferPDAddressesOverDiscovery"], pdAddresses: ["a", "b"] }),
        script({ ...basic, hasPd: false, referenceCluster: { name: "first", clusterDomain: "one.example" } } as never),
    ]),
    pdStartScript({ ...basic, dataSubDir: "it's a folder", initWaitTime: 3, startUpScriptVersion: "v1" }),
    tidbStartScript({ ...basic, plugins: ["a"], arguments: ["--x=$POD_NAME it's", "--y='"] }),
];

describe("start scripts: their common beginning", () => {
    let pod: Pod;
    afterEach(() => pod?.remove());

    for (const shell of shells) {
        it(`${shell.name} -n accepts every script`, () => {
            for (const script of allScripts) {
                const { status, stderr } = spawnSync(shell.command[0], [...shell.command.slice(1), "-n"], {
                    input: script,
                });
                assert.equal(status, 0, `${stderr.toString()}\n${script}`);
            }
        });
        for (const [kind, name, script] of everyKind) {
            it(`${shell.name}: ${kind} without mounted annotations ends with 1 and says so`, async () => {
                pod = createPod(name);
                const { code, output } = await pod.run(script, { shell: shell.command, annotations: null }).done;
                assert.equal(code, 1);
                assert.match(output, /annotations is missing/);
                assert.deepEqual(pod.starts(), []);
            });
            it(`${shell.name}: ${kind} with runmode=debug starts nothing, and ends when the pod is stopped`, async () => {
                pod = createPod(name);
                const annotations = 'a="b"\nrunmode="debug"\n';
                const run = pod.run(script, { shell: shell.command, annotations });
                await pause(300);
                run.kill("SIGTERM");
                const { code, output } = await run.done;
                assert.equal(code, 143, output);
                assert.match(output, /runmode=debug/);
                assert.deepEqual(pod.starts(), []);
            });
        }
    }

    itPassesShellcheck(allScripts);

    it("reads annotations and never runs them", async () => {
        pod = createPod("basic-tidb-0");
        const annotations = 'x="$(touch $POD_FOLDER/run)"\ntouch "$POD_FOLDER/run"\nrunmode="debugger"\n';
        const { code, output } = await pod.run(tidbStartScript(basic), { annotations }).done;
        assert.equal(code, 0, output);
        assert.equal(existsSync(join(pod.folder, "run")), false);
        assert.equal(pod.starts().length, 1);
    });

    describe("PD waits for its name", () => {
        beforeEach(() => {
            pod = createPod("basic-pd-0");
            mkdirSync(join(pod.data, "member", "wal"), { recursive: true });
        });

        it("until startTimeout and then ends with 1; an nslookup that succeeds without an answer does not count", async () => {
            const script = pdStartScript({ ...basic, startTimeout: 3 });
            const { code, output } = await pod.run(script, { environment: { UNKNOWN_NAMES: "true" } }).done;
            assert.equal(code, 1);
            assert.match(output, /basic-pd-0\.basic-pd-peer\.tidb\.svc is not known to DNS after 3 s/);
            assert.deepEqual(pod.starts(), []);
        });

        it("not at all with NoWaitDNS (v2)", async () => {
            const script = pdStartScript({ ...basic, version: "v2", featureFlags: ["NoWaitDNS"] });
            const { code, output } = await pod.run(script, { environment: { UNKNOWN_NAMES: "true" } }).done;
            assert.equal(code, 0, output);
        });

        it("and says so if the image has no program that asks DNS", async () => {
            const { code, output } = await pod.run(pdStartScript(basic), { without: ["nslookup", "dig", "getent"] })
                .done;
            assert.equal(code, 0, output);
            assert.match(output, /none of nslookup, dig, getent/);
        });

        const script = pdStartScript({ ...basic, version: "v2", featureFlags: match, startTimeout: 3 });
        for (const shell of shells) {
            it(`${shell.name}: with WaitForDnsNameIpMatch until DNS has an address of the pod`, async () => {
                const mine = { OWN_ADDRESSES: "10.0.0.1 10.244.0.7" };
                const good = await pod.run(script, { shell: shell.command, environment: mine }).done;
                assert.equal(good.code, 0, good.output);
                const old = { OWN_ADDRESSES: "10.244.0.70 110.244.0.7" };
                const bad = await pod.run(script, { shell: shell.command, environment: old }).done;
                assert.equal(bad.code, 1, bad.output);
                assert.match(bad.output, /with an address of this pod/);
            });
        }
    });
});
