import * as assert from "node:assert/strict";
import { configError } from "../../../../provider/lifecycle/diagnosis/configError";
import { diagnosePod } from "../../../../provider/lifecycle/diagnosis/diagnosePod";
import { eventOf, factsOf, forbidden, podOf, seen, statusOf } from "./podFacts";
import { repeats } from "../../../support/repeats";

const waits = (reason: string, message?: string) => ({ state: { waiting: { reason, message } } });
const image = "docker.io/pingcap/tikv:v9";
const notFound = `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
const ended = (exitCode: number, more: object = {}) => ({
    ...waits("CrashLoopBackOff", "back-off 20s restarting failed container=tikv pod=basic-tikv-0_tidb"),
    lastState: { terminated: { exitCode, reason: "Error", ...more } },
    restartCount: 3,
});
const unknownOption =
    '[2026/11/22 08:30:01.123 +00:00] [FATAL] [setup.rs:307] ["unknown configuration options: raftstore.apply-pol-size"] [thread_id=1]';

describe("why a container does not run", () => {
    for (const [name, status, facts, what, final] of [
        [
            "its image does not exist",
            waits("ErrImagePull", notFound),
            {},
            `the registry does not have image ${image} of container tikv`,
            { afterSeconds: 30 },
        ],
        [
            "its image does not exist, as the status says between attempts",
            waits("ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${notFound}`),
            {},
            `the registry does not have image ${image} of container tikv`,
            { afterSeconds: 30 },
        ],
        [
            "its image does not exist, as only an event of an older node says",
            waits("ImagePullBackOff", `Back-off pulling image "${image}"`),
            {
                events: seen([
                    eventOf("Failed", `Failed to pull image "${image}": ${notFound}`),
                    eventOf("Failed", "Error: ImagePullBackOff"),
                ]),
            },
            `the registry does not have image ${image} of container tikv`,
            { afterSeconds: 30 },
        ],
        [
            "its image is private, or does not exist",
            waits(
                "ErrImagePull",
                "rpc error: code = Unknown desc = Error response from daemon: pull access denied for local/tikv, repository does not exist or may require 'docker login': denied",
            ),
            {},
            `the registry does not give image ${image} of container tikv to this node, or does not have it`,
            undefined,
        ],
        [
            "its registry calls an image unknown that it does not give to everybody",
            waits("ErrImagePull", "denied: requested access to the resource is denied: name unknown"),
            {},
            `the registry does not give image ${image} of container tikv to this node, or does not have it`,
            undefined,
        ],
        [
            "the registry cannot be reached",
            waits(
                "ErrImagePull",
                `failed to resolve reference "${image}": dial tcp: lookup registry on 10.0.0.2:53: no such host`,
            ),
            {},
            `image ${image} of container tikv cannot be pulled`,
            undefined,
        ],
        [
            "nothing says why the image is missing",
            waits("ImagePullBackOff"),
            { events: forbidden },
            `image ${image} of container tikv cannot be pulled`,
            undefined,
        ],
        ...[
            `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to extract layer sha256:12: failed to get reader from content store: content digest sha256:51: not found`,
            `failed to pull and unpack image "${image}": failed to prepare extraction snapshot "extract-1": parent snapshot sha256:12 does not exist: not found`,
            `failed to unpack image on snapshotter overlayfs: blob not found`,
            `failed to resolve image "${image}": content digest sha256:51: not found`,
            "an error that nobody has heard of: not found",
        ].map(
            (said) =>
                [
                    `its node fails: ${said}`,
                    waits("ErrImagePull", said),
                    {},
                    `image ${image} of container tikv cannot be pulled`,
                    undefined,
                ] as const,
        ),
        ...[
            `Error response from daemon: manifest for ${image} not found: manifest unknown: manifest unknown`,
            `reading manifest v9 in docker.io/pingcap/tikv: name unknown`,
            `failed to pull image "${image}": failed to resolve image "${image}": ${image}: not found`,
        ].map(
            (said) =>
                [
                    `its registry does not have it: ${said}`,
                    waits("ErrImagePull", said),
                    {},
                    `the registry does not have image ${image} of container tikv`,
                    { afterSeconds: 30 },
                ] as const,
        ),
        [
            "its image is for another processor",
            waits("ErrImagePull", "no match for platform in manifest: not found"),
            {},
            `image ${image} of container tikv does not exist for the processor of its node`,
            { afterSeconds: 30 },
        ],
        [
            "its image has no valid name",
            waits("InvalidImageName", 'couldn\'t parse image name "a:b:c": invalid reference format'),
            {},
            `${image} of container tikv is not the name of an image`,
            { afterSeconds: 0 },
        ],
        [
            "its image must be there, and is not",
            waits("ErrImageNeverPull"),
            {},
            `the node does not have image ${image} of container tikv, and imagePullPolicy is Never`,
            undefined,
        ],
        [
            "a Secret is missing",
            waits("CreateContainerConfigError", 'secret "basic-secret" not found'),
            {},
            "container tikv needs Secret basic-secret, which does not exist",
            undefined,
        ],
        [
            "its program is not in the image",
            waits("RunContainerError", 'exec: "/tikv-server": stat /tikv-server: no such file or directory'),
            {},
            "container tikv cannot be created: RunContainerError",
            undefined,
        ],
        [
            "it refuses its configuration",
            ended(1, { containerID: "containerd://one", finishedAt: new Date(0) }),
            { logs: { tikv: seen(["[2026/11/22] [INFO] starting", unknownOption, ""]) } },
            "container tikv refuses its configuration, and was restarted 3 times",
            { afterSeconds: 0, occurrence: "containerd://one" },
        ],
        [
            "it refused its configuration, in a container that has no id",
            ended(1, { finishedAt: new Date(0) }),
            { logs: { tikv: seen([unknownOption]) } },
            "container tikv refuses its configuration, and was restarted 3 times",
            { afterSeconds: 0, occurrence: "1970-01-01T00:00:00.000Z" },
        ],
        [
            "it refused its configuration, and nothing tells one end from another",
            ended(1),
            { logs: { tikv: seen([unknownOption]) } },
            "container tikv refuses its configuration, and was restarted 3 times",
            undefined,
        ],
        [
            "it refused its configuration, and runs again",
            { ...ended(1, { containerID: "containerd://one" }), state: { running: {} } },
            { logs: { tikv: seen([unknownOption]) } },
            "container tikv refuses its configuration, and was restarted 3 times",
            { afterSeconds: Infinity, occurrence: "containerd://one" },
        ],
        [
            "it was killed although its configuration has a wrong option",
            ended(137),
            { logs: { tikv: seen([unknownOption]) } },
            "container tikv ended with exit code 137, and was restarted 3 times",
            undefined,
        ],
        [
            "it ends for another reason",
            ended(1),
            { logs: { tikv: seen(['[FATAL] [server.rs:40] ["failed to connect to PD"]']) } },
            "container tikv ended with exit code 1, and was restarted 3 times",
            undefined,
        ],
        [
            "its log may not be read",
            ended(1),
            { logs: { tikv: forbidden } },
            "container tikv ended with exit code 1, and was restarted 3 times, and its log is not known: the API server answered 403",
            undefined,
        ],
        [
            "it needs more memory",
            ended(137, { reason: "OOMKilled" }),
            {},
            "container tikv was killed because it used more memory than its limit of 2Gi, and was restarted 3 times",
            undefined,
        ],
    ] as const) {
        it(name, () => {
            const pod = podOf(
                { containerStatuses: [statusOf({ image, ...status })] },
                { resources: { limits: { memory: "2Gi" } } },
            );
            const causes = diagnosePod(factsOf(pod, facts));
            assert.deepEqual(
                causes.map((cause) => cause.what),
                [what],
            );
            assert.deepEqual(causes[0].final, final);
        });
    }

    for (const [name, status] of [
        ["a container that is being created", waits("ContainerCreating")],
        ["a container that waits for an init container", waits("PodInitializing")],
        ["a container that runs and is not Ready yet", { state: { running: {} } }],
    ] as const) {
        it(`not of ${name}`, () =>
            assert.deepEqual(diagnosePod(factsOf(podOf({ containerStatuses: [statusOf(status)] }))), []));
    }

    it("not of an init container that has done its work", () => {
        const done = statusOf({ name: "init", ready: false, state: { terminated: { exitCode: 0 } } });
        const pod = podOf({ initContainerStatuses: [done], containerStatuses: [statusOf(waits("PodInitializing"))] });
        assert.deepEqual(diagnosePod(factsOf(pod)), []);
    });

    it("of the init container that holds up the others", () => {
        const init = statusOf({ name: "init", image: "nobody/init:1", ...waits("ErrImagePull", "manifest unknown") });
        const pod = podOf({ initContainerStatuses: [init], containerStatuses: [statusOf(waits("PodInitializing"))] });
        repeats(diagnosePod(factsOf(pod))[0].what, "nobody/init:1", "container init");
    });
});

describe("the configuration error in a log", () => {
    const panic = [
        "thread 'main' panicked at cmd/tikv-server/src/main.rs:211:9:",
        "invalid auto generated configuration file /etc/tikv/tikv.toml, err expected an equals, found a newline at line 3 column 8",
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    ];
    const tidb =
        "config file /etc/tidb/tidb.toml contained invalid configuration options: performance.max-proc; check TiDB manual to make sure this option has not been deprecated and removed from your TiDB version if the option does not appear to be a typo";
    for (const [name, log, expected] of [
        [
            "TiKV: an option that it does not know",
            [unknownOption],
            '[FATAL] [setup.rs:307] ["unknown configuration options: raftstore.apply-pol-size"]',
        ],
        ["TiKV: a file that is no TOML", panic, panic[1]],
        ["TiDB in strict mode", ["start", tidb], tidb],
        [
            "TiDB: a value of the wrong type",
            [
                '[2026/11/22 08:30:01.123 +00:00] [FATAL] [terror.go:300] ["unexpected error"] [error="toml: line 1 (last key \\"tmp-storage-quota\\"): incompatible types: TOML value has type string; destination has type integer"]',
            ],
            '[FATAL] [terror.go:300] ["unexpected error"] [error="toml: line 1 (last key \\"tmp-storage-quota\\"): incompatible types: TOML value has type string; destination has type integer"]',
        ],
        [
            "PD",
            [
                '[2026/11/22 08:30:01.123 +00:00] [FATAL] [main.go:110] ["parse cmd flags error"] [error="x"] [stack="y"]',
            ],
            '[FATAL] [main.go:110] ["parse cmd flags error"] [error="x"]',
        ],
        [
            "a warning about an option, after which PD goes on",
            ['[WARN] [config.go:1] ["Config contains undefined item: schedule.a"]', "[FATAL] no disk"],
            undefined,
        ],
        [
            "TiDB not in strict mode, which writes more",
            [tidb, '[INFO] ["Welcome to TiDB"]', "[FATAL] no PD"],
            undefined,
        ],
        ["long before the end", [unknownOption, "1", "2", "3", "4", "5"], undefined],
        ["nothing", [], undefined],
    ] as const) {
        it(name, () => assert.equal(configError(log), expected));
    }
});
