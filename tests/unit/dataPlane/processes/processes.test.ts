import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { containerLog } from "../../../../sandbox/dataPlane/containers/containerLog";
import { startProcess } from "../../../../sandbox/dataPlane/containers/containerProcess";
import { podStatus, withTransitions } from "../../../../sandbox/dataPlane/containers/podStatus";
import { nextBackOff } from "../../../../sandbox/dataPlane/processes/backOff";
import { searchBinaries } from "../../../../sandbox/dataPlane/processes/binaries";
import { listenShim, rootScript } from "../../../../sandbox/dataPlane/processes/containerRoot";
import { hostsFiles, hostsText, writeHosts } from "../../../../sandbox/dataPlane/processes/hostsFile";
import { claimNetwork, podNetwork } from "../../../../sandbox/dataPlane/processes/podNetwork";
import { countAnswer } from "../../../../sandbox/dataPlane/processes/probes";

describe("the programs that pods run as processes", () => {
    let folder: string;
    const add = (...names: string[]) =>
        names.forEach((name) => {
            fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
            fs.writeFileSync(path.join(folder, name), "");
        });
    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-binaries-"));
    });
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    it("are found by name, by name and version, and as tiup keeps them", () => {
        add("pd-server", "tikv-server-v8.5.4", "tidb/v8.5.4/tidb-server");
        const found = searchBinaries(folder);
        assert.deepEqual(found.members, ["pd", "tso", "scheduling", "tikv", "tidb"]);
        assert.deepEqual(found.simulated, ["ticdc"]);
        const fileOf = (member: "pd" | "tikv" | "tidb", image: string) =>
            path.relative(folder, found.find(member, image)?.file ?? folder);
        assert.equal(fileOf("pd", "registry:5000/pingcap/pd:v7.5.0"), "pd-server");
        assert.equal(fileOf("tikv", "pingcap/tikv:v8.5.4@sha256:00"), "tikv-server-v8.5.4");
        assert.equal(fileOf("tidb", "pingcap/tidb:v8.5.4"), path.join("tidb", "v8.5.4", "tidb-server"));
        assert.equal(found.find("tidb", "pingcap/tidb:v8.5.5"), undefined, "another version is not this image");
        assert.ok(found.missing("tidb", "pingcap/tidb:v8.5.5").includes("tiup install tidb:v8.5.5"));
        assert.equal(found.find("pd", "pingcap/pd:does-not-exist"), undefined, "as in a sandbox without processes");
    });

    it("are both PD's and TiKV's, since a simulated store does not register with a real PD", () => {
        add("pd-server");
        assert.throws(() => searchBinaries(folder), /found no tikv-server in/);
    });

    it("are searched in several folders, as in PATH", () => {
        add("a/pd-server", "b/tikv-server");
        const folders = [path.join(folder, "a"), "", path.join(folder, "b"), path.join(folder, "none")];
        assert.deepEqual(searchBinaries(folders.join(path.delimiter)).members, ["pd", "tso", "scheduling", "tikv"]);
    });
});

describe("the names in a pod's /etc/hosts", () => {
    const labels = { member: "tikv" };
    const pod = (name: string, isReady: boolean, more = {}) => ({
        namespace: "n",
        name,
        subdomain: "peer",
        labels,
        address: `127.16.0.${name}`,
        isReady,
        ...more,
    });
    const service = (name: string, publishesNotReady: boolean, selector?: Record<string, string>) => ({
        namespace: "n",
        name,
        publishesNotReady,
        selector,
    });

    it("are those of Services, and of pods under their headless Service; names without a namespace only in their own", () => {
        const text = hostsText("n", [pod("1", true)], [service("peer", false, labels)]);
        assert.deepEqual(text.split("\n"), [
            "127.0.0.1 localhost",
            "127.16.0.1 peer.n.svc.cluster.local peer.n.svc peer.n peer",
            "127.16.0.1 1.peer.n.svc.cluster.local 1.peer.n.svc 1.peer.n 1.peer",
            "",
        ]);
        const elsewhere = hostsText("other", [pod("1", true)], [service("peer", false, labels)]);
        assert.ok(!/ peer$| 1\.peer$/m.test(elsewhere), elsewhere);
    });

    it("lack a pod that is not Ready, unless its Service publishes it", () => {
        const linesOf = (publishes: boolean) =>
            hostsText("n", [pod("1", false)], [service("peer", publishes, labels)]).split("\n").length;
        assert.deepEqual([linesOf(false), linesOf(true)], [2, 4]);
    });

    it("lack pods that the Service does not select, and Services without a selector", () => {
        const services = [service("a", true, { member: "pd" }), service("b", true)];
        assert.equal(hostsText("n", [pod("1", true)], services), "127.0.0.1 localhost\n");
    });

    it("are written in place, since running pods have the file mounted", () => {
        const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-hosts-")), "hosts");
        writeHosts(file, "a long first text\n");
        const { ino } = fs.statSync(file);
        writeHosts(file, "short\n");
        assert.deepEqual([fs.readFileSync(file, "utf8"), fs.statSync(file).ino], ["short\n", ino]);
        fs.rmSync(path.dirname(file), { recursive: true });
    });

    it("are written again if they cannot be, and nothing fails", async () => {
        const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-hosts-")), "later");
        const lines: string[] = [];
        const files = hostsFiles(folder, (line) => lines.push(line));
        files.write([pod("1", true)], []);
        assert.match(lines.join(""), /cannot write the names of namespace n, retrying: ENOENT/);
        fs.mkdirSync(folder);
        const isThere = (): boolean => fs.existsSync(files.file("n"));
        for (let tries = 0; tries < 40 && !isThere(); tries++) {
            await sleep(50);
        }
        files.stop();
        assert.ok(isThere());
        fs.rmSync(path.dirname(folder), { recursive: true });
    });
});

describe("the log of a container on a full disk", () => {
    it("loses lines, says so once, and has the last ones for the pod's status", () => {
        const lines: string[] = [];
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-log-"));
        const file = path.join(folder, "log");
        const log = containerLog(file, (line) => lines.push(line));
        fs.rmSync(file);
        fs.mkdirSync(file); // It cannot be written to, as on a full disk.
        log.write("stdout", Buffer.from("one\ntwo\n"));
        assert.equal(lines.length, 1, lines.join("\n"));
        assert.equal(log.tail(), "one\ntwo");
        fs.rmSync(folder, { recursive: true });
    });
});

describe("the addresses of pods that run as processes", () => {
    it("are loopback addresses of the sandbox's network, each for one pod", () => {
        const network = podNetwork(17);
        assert.deepEqual(network.next(), { podIp: "10.17.0.1", loopback: "127.17.0.1" });
        const more = Array.from({ length: 250 }, () => network.next().loopback);
        assert.deepEqual([more[248], more[249]], ["127.17.0.250", "127.17.1.1"]);
    });

    it("stay with a pod that ran before, and go to no other", () => {
        const network = podNetwork(17);
        assert.deepEqual(network.known("10.17.0.5"), { podIp: "10.17.0.5", loopback: "127.17.0.5" });
        assert.equal(network.next().loopback, "127.17.0.6");
        assert.equal(network.known("10.18.0.5"), undefined);
    });

    it("are of a network that no other sandbox has until it is released, also of another user", async () => {
        const one = await claimNetwork(200);
        const other = await claimNetwork(200);
        assert.notEqual(other.number, one.number);
        one.release();
        const again = await claimNetwork(one.number);
        assert.equal(again.number, one.number);
        [again, other].forEach((network) => network.release());
    });
});

describe("a container that ended", () => {
    it("is started at once, then after 10 s, 20 s, up to 5 minutes; as new after it ran for 10 minutes", () => {
        let pause = nextBackOff(undefined, 1);
        const pauses = [pause.milliseconds];
        for (let times = 0; times < 7; times++) {
            pause = nextBackOff(pause, 1000);
            pauses.push(pause.milliseconds);
        }
        assert.deepEqual(
            pauses.map((milliseconds) => milliseconds / 1000),
            [0, 10, 20, 40, 80, 160, 300, 300],
        );
        assert.equal(nextBackOff(pause, 600_000).milliseconds, 0);
    });
});

describe("a probe", () => {
    const none = { successes: 0, failures: 0 };
    it("fails after as many failures in a row as its threshold, and succeeds at the first success", () => {
        const probe = { failureThreshold: 2 };
        const once = countAnswer(probe, none, false);
        assert.equal(once.verdict, "undecided");
        assert.equal(countAnswer(probe, once.counts, false).verdict, "fails");
        const well = countAnswer(probe, once.counts, true);
        assert.equal(well.verdict, "succeeds");
        assert.equal(countAnswer(probe, well.counts, false).verdict, "undecided", "the count begins again");
    });
});

describe("the status of a pod whose containers start again", () => {
    const pod = { spec: { containers: [{ name: "tikv", image: "i" }] } };
    const last = { startedAt: "a", finishedAt: "b", exitCode: 1, reason: "Error" };

    it("is Running and not Ready while a container waits to start again", () => {
        const states = { tikv: { is: "waiting" as const, reason: "CrashLoopBackOff", restarts: 2, last } };
        const status = podStatus(pod, states, "t");
        assert.equal(status.phase, "Running");
        assert.deepEqual(status.containerStatuses, [
            {
                name: "tikv",
                image: "i",
                imageID: "",
                restartCount: 2,
                started: false,
                ready: false,
                state: { waiting: { reason: "CrashLoopBackOff", message: undefined } },
                lastState: { terminated: last },
            },
        ]);
    });

    it("is Ready only as its probes say", () => {
        const readyOf = (ready: boolean) =>
            podStatus(pod, { tikv: { is: "running", startedAt: "a", ready } }, "t").conditions[1].status;
        assert.deepEqual([readyOf(false), readyOf(true)], ["False", "True"]);
    });

    it("stays Running while a container that ran before waits for what it needs", () => {
        const waiting = (restarts: number) =>
            podStatus(pod, { tikv: { is: "waiting", reason: "CreateContainerConfigError", restarts } }, "t").phase;
        assert.deepEqual([waiting(0), waiting(1)], ["Pending", "Running"]);
    });

    it("is initialized once its sidecars have started, and not Ready without them", () => {
        const sidecar = { name: "side", image: "i", restartPolicy: "Always" };
        const both = { spec: { ...pod.spec, initContainers: [sidecar] } };
        const of = (started: boolean, ready: boolean) => {
            const side = { is: "running" as const, startedAt: "a", started, ready };
            const { conditions } = podStatus(both, { side, tikv: { is: "running", startedAt: "a" } }, "t");
            return conditions.slice(0, 2).map(({ status }) => status);
        };
        assert.deepEqual([of(false, false), of(true, false), of(true, true)].map(String), [
            "False,False",
            "True,False",
            "True,True",
        ]);
    });

    it("has the time of each condition's last change", () => {
        const at = (ready: boolean) => podStatus(pod, { tikv: { is: "running", startedAt: "a", ready } }, "t");
        const first = withTransitions(at(false), undefined, "1");
        const second = withTransitions(at(false), first, "2");
        const third = withTransitions(at(true), second, "3");
        assert.deepEqual(
            [second, third].map(({ conditions }) => conditions.map(({ lastTransitionTime }) => lastTransitionTime)),
            [
                ["1", "1", "1"],
                ["1", "3", "3"],
            ],
        );
    });
});

describe("the root of a container", () => {
    const root = {
        folder: "/r",
        hosts: "/h",
        hostname: "p",
        address: "127.16.0.1",
        mounts: [
            { file: "/b", mountPath: "/etc/tikv/inner", readOnly: false },
            { file: "/a", mountPath: "/etc/tikv", readOnly: true },
        ],
        node: "/n",
    };

    it("has a mount after the one that it is in", () => {
        const script = rootScript(root);
        assert.ok(script.indexOf("mount --bind '/a'") < script.indexOf("mount --bind '/b'"));
    });

    it("has this machine's programs read-only, and none that asks a DNS server", () => {
        const script = rootScript(root);
        assert.ok(script.includes("\nread_only usr all\n"));
        assert.match(script, /for tool in nslookup dig host; do/);
    });

    it("has a program that listens on its pod's address only", () => {
        const shim = listenShim("127.16.0.1", ["--status-host=127.16.0.1"]).replace("exec /sandbox/program", "echo");
        const given = ["--addr=0.0.0.0:20160", "http://0.0.0.0:2379", "10.0.0.0/8", "0.0.0.0/0", "a b"];
        const { stdout } = spawnSync("/bin/sh", ["-c", shim, "program", ...given], { encoding: "utf8" });
        assert.equal(
            stdout,
            "--addr=127.16.0.1:20160 http://127.16.0.1:2379 10.0.0.0/8 0.0.0.0/0 a b --status-host=127.16.0.1\n",
        );
    });
});

describe("a container's process that cannot be started", () => {
    it("gets no signal, which would go to the sandbox itself", async () => {
        const folder = path.join(os.tmpdir(), "pulumi-tidb-no-such-folder");
        const lines: string[] = [];
        const write = (_stream: string, part: Buffer) => void lines.push(part.toString());
        const log = { write, end: () => undefined, tail: () => "" };
        const options = { environment: {}, folder, path: "/usr/bin:/bin", log, record: path.join(folder, "record") };
        const { processId, ended, signal } = startProcess({ file: "true", args: [] }, options);
        assert.equal(processId, undefined);
        signal("SIGKILL");
        assert.equal(await ended, 128);
        assert.match(lines.join(""), /cannot start true: .*ENOENT/);
    });
});
