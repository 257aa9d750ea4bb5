import * as assert from "node:assert/strict";
import { commandLineOf, NotSimulated, withHosts } from "../../../sandbox/dataPlane/jobs/commandLine";
import {
    ContainerConfigError,
    environmentOf,
    expand,
    sourcesOf,
} from "../../../sandbox/dataPlane/containers/environment";
import { replaceMountedPaths } from "../../../sandbox/dataPlane/containers/mountedPaths";
import { podStatus } from "../../../sandbox/dataPlane/containers/podStatus";

describe("the paths of mounts in a Job's command", () => {
    const mounts = [
        { mountPath: "/data", file: "/real/d" },
        { mountPath: "/data/more/", file: "/real/m" },
    ];
    for (const [text, expected] of [
        ["/data", "/real/d"],
        ["/data/init.sql", "/real/d/init.sql"],
        ["--dir=/data/more/x", "--dir=/real/m/x"],
        ["local:///data/full", "local:///real/d/full"],
        ["cp /data/a,/data/b", "cp /real/d/a,/real/d/b"],
        ["/my/data", "/my/data"],
        ["/database", "/database"],
        ["/data-2", "/data-2"],
        ["s3://bucket/data", "s3://bucket/data"],
        ["/data.txt", "/data.txt"],
    ]) {
        it(`are real in ${text} as far as they are whole`, () => {
            assert.equal(replaceMountedPaths(text, mounts), expected);
        });
    }

    it("are none without mounts", () => {
        assert.equal(replaceMountedPaths("/data", []), "/data");
    });
});

describe("the variables of a Job's container", () => {
    const pod = { metadata: { name: "p", namespace: "n" } };
    const sources = {
        secrets: new Map([["s", { user: "root" }]]),
        configMaps: new Map<string, Record<string, string> | undefined>([
            ["c", { a: "1", b: "2" }],
            ["gone", undefined],
        ]),
    };
    const secretKey = (key: string, optional = false, name = "s") => ({
        name: "main",
        env: [{ name: "V", valueFrom: { secretKeyRef: { name, key, optional } } }],
    });

    it("come from values, Secrets, ConfigMaps and fields of the pod, in this order of precedence", () => {
        const container = {
            name: "main",
            envFrom: [
                { prefix: "C_", configMapRef: { name: "c" } },
                { configMapRef: { name: "gone", optional: true } },
            ],
            env: [
                { name: "A", value: "x" },
                { name: "B", value: "$(A)-$(C_a)-$(none)-$$(A)" },
                { name: "U", valueFrom: { secretKeyRef: { name: "s", key: "user" } } },
                { name: "P", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                { name: "C_b", value: "own" },
            ],
        };
        assert.deepEqual(environmentOf(container, pod, sources), {
            C_a: "1",
            C_b: "own",
            A: "x",
            B: "x-1-$(none)-$(A)",
            U: "root",
            P: "p",
        });
        assert.deepEqual(sourcesOf(container), { secrets: ["s"], configMaps: ["c", "gone"] });
    });

    it("are not there as long as a Secret or a key is missing, unless it is optional", () => {
        assert.throws(
            () => environmentOf(secretKey("x"), pod, sources),
            new ContainerConfigError("couldn't find key x in secret s"),
        );
        assert.throws(
            () => environmentOf(secretKey("x", false, "t"), pod, sources),
            new ContainerConfigError('secret "t" not found'),
        );
        assert.deepEqual(environmentOf(secretKey("x", true), pod, sources), {});
        assert.deepEqual(environmentOf(secretKey("x", true, "t"), pod, sources), {});
    });

    it("are replaced in words", () => {
        assert.equal(expand("$(A)$(A)$$", { A: "1" }), "11$");
    });
});

describe("the command of a Job's container", () => {
    const programs = { br: "/opt/br" };
    it("is the program that stands for it, with real paths", () => {
        const container = { name: "main", command: ["/usr/bin/br", "$(V)"], args: ["--s=local:///b"] };
        assert.deepEqual(commandLineOf(container, { V: "backup" }, [{ mountPath: "/b", file: "/real" }], programs), {
            file: "/opt/br",
            args: ["backup", "--s=local:///real"],
        });
    });

    it("is refused if no program stands for it, or if it is that of an image", () => {
        assert.throws(() => commandLineOf({ name: "main", command: ["rclone"] }, {}, [], programs), NotSimulated);
        assert.throws(() => commandLineOf({ name: "main", args: ["br"] }, {}, [], programs), NotSimulated);
        assert.throws(() => commandLineOf({ name: "main", command: ["toString"] }, {}, [], programs), NotSimulated);
    });

    it("sees the names of pods that are processes in a mount namespace, which another user than root has too", () => {
        const of = (isRoot: boolean) => withHosts({ file: "/opt/br", args: ["backup", "a b"] }, "/hosts-n", isRoot);
        const rest = [
            "/bin/sh",
            "-c",
            'mount --bind "$0" /etc/hosts && exec "$@"',
            "/hosts-n",
            "/opt/br",
            "backup",
            "a b",
        ];
        assert.deepEqual(of(true), { file: "unshare", args: ["--mount", ...rest] });
        assert.deepEqual(of(false), { file: "unshare", args: ["--user", "--map-root-user", "--mount", ...rest] });
    });

    for (const [command, expected] of [
        [
            "python",
            /the sandbox does not run "python" of container main: a sandbox runs no SQL, .*TidbInitializer.*take it out of the program/,
        ],
        ["/br", /start the sandbox with --backups/],
        ["/bin/sh", /start the sandbox with --backups/],
        ["toString", /of container main: startSandbox\(/],
    ] as const) {
        it(`is refused with what a user does about ${command}`, () => {
            assert.throws(() => commandLineOf({ name: "main", command: [command] }, {}, [], {}), expected);
        });
    }
});

describe("the status of a Job's pod", () => {
    const pod = { spec: { initContainers: [{ name: "init" }], containers: [{ name: "a" }, { name: "b" }] } };
    const ended = (exitCode: number) => ({ is: "ended", startedAt: "", finishedAt: "", exitCode, reason: "" }) as const;
    const running = { is: "running", startedAt: "" } as const;
    const phase = (states: Parameters<typeof podStatus>[1]): string =>
        (podStatus(pod, states, "") as { phase: string }).phase;

    it("is what its processes did: it succeeds only if all of them did", () => {
        assert.equal(phase({}), "Pending");
        assert.equal(phase({ init: running }), "Pending");
        assert.equal(phase({ init: ended(1) }), "Failed");
        assert.equal(phase({ init: ended(0), a: running }), "Running");
        assert.equal(phase({ init: ended(0), a: ended(0), b: running }), "Running");
        assert.equal(phase({ init: ended(0), a: ended(0) }), "Running");
        assert.equal(phase({ init: ended(0), a: ended(0), b: ended(0) }), "Succeeded");
        assert.equal(phase({ init: ended(0), a: ended(3), b: ended(0) }), "Failed");
        assert.equal(phase({ init: ended(0), a: ended(3), b: running }), "Running");
    });
});
