import assert from "node:assert/strict";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";

/** What is changed in a good manifest, the field that must be named, and a part of what must be said. */
type Rule = [title: string, change: (manifest: OpenManifest) => void, field: string, message: string | RegExp];

const name48 = "a".repeat(48);

const rules: Rule[] = [
    // Sections under another name, which would be left out
    [
        "operations inside the spec",
        ({ spec }) => {
            spec.operations = { timeouts: { podReadySeconds: 900 } };
        },
        "spec.operations",
        /spec\.operations: found it inside `spec`, expected `operations` next to `spec`, as an argument of TidbCluster in a program$/,
    ],
    [
        "a member at the top level, as with lines that are not indented",
        (manifest) => {
            Object.assign(manifest, { pd: manifest.spec.pd });
        },
        "pd",
        /^pd: found it at the top level, expected it inside `spec`; in YAML, indent it further than `spec:`$/,
    ],
    [
        "a namespace beside the metadata",
        (manifest) => {
            Object.assign(manifest, { namespace: "tidb" });
        },
        "namespace",
        /expected it inside `metadata`; in YAML, indent it further than `metadata:`$/,
    ],
    [
        "a member under another name",
        ({ spec }) => {
            spec.tidbs = spec.tidb;
            delete spec.tidb;
        },
        "spec.tidbs",
        /spec\.tidbs is not a known field, and tidb is missing; did you mean tidb\? If not, remove tidbs$/,
    ],
    [
        "a misspelt member next to the one it resembles",
        ({ spec }) => {
            spec.tikb = spec.tidb;
            delete spec.tidb;
        },
        "spec.tikb",
        /did you mean tidb\?/,
    ],
    [
        "a list under another name",
        ({ spec }) => (spec.tidb.toleration = [{ operator: "Exists" }]),
        "spec.tidb.toleration",
        /did you mean tolerations\?/,
    ],
    [
        "claims whose data would go without a question",
        ({ spec }) => (spec.enablePVReclaim = true),
        "spec.enablePVReclaim",
        /found true, expected false; .*kubectl delete pvc/,
    ],
    [
        "volumes that would only end as Failed",
        ({ spec }) => (spec.pvReclaimPolicy = "Recycle"),
        "spec.pvReclaimPolicy",
        /found Recycle, expected Retain or Delete; .*deprecated/,
    ],
    // Tags and sizes that no pod starts with
    [
        "a version without v",
        ({ spec }) => (spec.version = "8.5.3"),
        "spec.version",
        /found "8\.5\.3", expected v8\.5\.3; TiDB's tags begin with v and three numbers, so there is no image pingcap\/pd:8\.5\.3$/,
    ],
    ...(
        [
            ["two numbers", "v8.5", "v8.5.0"],
            ["one number", "v8", "v8.0.0"],
            ["a large V", "V8.5.4", "v8.5.4"],
            ["a large V and a letter behind its numbers", "V8.5.4x", "a version such as v8.5.3"],
            ["two numbers and a letter", "v8.5x", "a version such as v8.5.3"],
            ["a typing error of two numbers", "v8.54", "v8.54.0"],
        ] as const
    ).map(([what, version, expected]): Rule => [
        `a version of ${what}`,
        ({ spec }) => (spec.version = version),
        "spec.version",
        `expected ${expected}; TiDB's tags begin with v and three numbers, so there is no image pingcap/pd:${version}`,
    ]),
    [
        "a member's version without v",
        ({ spec }) => (spec.tikv.version = "8.5.3-alpha"),
        "spec.tikv.version",
        "expected v8.5.3-alpha",
    ],
    [
        "a version without v for one of PingCAP's images among others",
        ({ spec }) => {
            spec.version = "8.5.3";
            spec.pd.baseImage = spec.tikv.baseImage = "example.org/pd";
            spec.tidb.baseImage = "docker.io/pingcap/tidb";
        },
        "spec.version",
        "there is no image docker.io/pingcap/tidb:8.5.3",
    ],
    [
        "a version without v for two members, of which one is never pulled",
        ({ spec }) => {
            spec.version = "8.5.3";
            spec.pd.imagePullPolicy = "Never";
        },
        "spec.version",
        "there is no image pingcap/tikv:8.5.3",
    ],
    [
        "a version without v for a member that is pulled, although the others are not",
        ({ spec }) => {
            spec.imagePullPolicy = "Never";
            spec.tikv.imagePullPolicy = "IfNotPresent";
            spec.tikv.version = "8.5.3";
        },
        "spec.tikv.version",
        "there is no image pingcap/tikv:8.5.3",
    ],
    [
        "an image's tag without v",
        ({ spec }) => {
            delete spec.version;
            for (const member of ["pd", "tikv", "tidb"]) {
                spec[member].image = `pingcap/${member}:v8.5.3`;
            }
            spec.tikv.image = "pingcap/tikv:8.5.3";
        },
        "spec.tikv.image",
        "there is no image pingcap/tikv:8.5.3",
    ],
    [
        "a volume of 100 bytes",
        ({ spec }) => (spec.tikv.requests.storage = 100),
        "spec.tikv.requests.storage",
        /found 100, which means 100 bytes, expected a size with a unit, such as 100Gi$/,
    ],
    [
        "a volume of less than a byte",
        ({ spec }) => (spec.pd.requests.storage = "100m"),
        "spec.pd.requests.storage",
        /found "100m", expected a size of at least 1Mi, such as 100Gi$/,
    ],
    [
        "an additional volume of 10 bytes",
        ({ spec }) => (spec.tikv.storageVolumes = [{ name: "wal", storageSize: "10", mountPath: "/wal" }]),
        "spec.tikv.storageVolumes[0].storageSize",
        "such as 10Gi",
    ],
    [
        "a claim of 50 bytes",
        ({ spec }) => (spec.tiflash = { replicas: 1, storageClaims: [{ resources: { requests: { storage: 50 } } }] }),
        "spec.tiflash.storageClaims[0].resources.requests.storage",
        "such as 50Gi",
    ],
    // Types
    [
        "wrong type",
        ({ spec }) => (spec.tikv.replicas = "three"),
        "spec.tikv.replicas",
        /found the text "three", expected a whole number$/,
    ],
    [
        "a number in quotes",
        ({ spec }) => (spec.tikv.replicas = "4"),
        "spec.tikv.replicas",
        /found the text "4", expected a whole number; remove the quotes$/,
    ],
    [
        "a switch in quotes",
        ({ spec }) => (spec.paused = "true"),
        "spec.paused",
        /found the text "true", expected true or false; remove the quotes$/,
    ],
    [
        "two volumes at one path",
        ({ spec }) =>
            (spec.tikv.storageVolumes = ["a", "b"].map((name) => ({ name, storageSize: "1Gi", mountPath: "/x" }))),
        "spec.tikv.storageVolumes[1].mountPath",
        'found "/x", expected a path where tikv has no other mount',
    ],
    [
        "a volume where a member mounts its own",
        ({ spec }) => (spec.tidb.storageVolumes = [{ name: "log", storageSize: "1Gi", mountPath: "/var/log/tidb" }]),
        "spec.tidb.storageVolumes[0].mountPath",
        "expected a path where tidb has no other mount",
    ],
    [
        "a mount where a member mounts its own",
        ({ spec }) => (spec.pd.additionalVolumeMounts = [{ name: "annotations", mountPath: "/var/lib/pd" }]),
        "spec.pd.additionalVolumeMounts[0].mountPath",
        'found "/var/lib/pd"',
    ],
    ["negative replicas", ({ spec }) => (spec.tikv.replicas = -1), "spec.tikv.replicas", "found -1"],
    ["a fraction of replicas", ({ spec }) => (spec.pd.replicas = 1.5), "spec.pd.replicas", "a whole number"],
    ["huge replicas", ({ spec }) => (spec.tidb.replicas = 1e300), "spec.tidb.replicas", "2147483647"],
    ["infinite replicas", ({ spec }) => (spec.tidb.replicas = Infinity), "spec.tidb.replicas", "Infinity"],
    [
        "no replicas",
        ({ spec }) => delete spec.pd.replicas,
        "spec.pd.replicas",
        "found nothing, expected a whole number",
    ],
    ["a list for a map", ({ spec }) => (spec.tidb = []), "spec.tidb", "found an empty list, expected a map"],
    ["a map for a list", ({ spec }) => (spec.tidb.tolerations = {}), "spec.tidb.tolerations", "expected a list"],
    ["a number for a version", ({ spec }) => (spec.pd.version = 8.5), "spec.pd.version", "such as v8.5.0"],
    ["a number for text", ({ spec }) => (spec.labels = { a: 5 }), "spec.labels.a", "put it in quotes"],
    ["a function", ({ spec }) => (spec.version = () => 1), "spec.version", "found a function"],
    [
        "an unknown word",
        ({ spec }) => (spec.dnsPolicy = "clusterfirst"),
        "spec.dnsPolicy",
        "did you mean ClusterFirst?",
    ],
    ["a map as version", ({ spec }) => (spec.tikv.version = {}), "spec.tikv.version", "found a map, expected text"],
    ["no spec", (manifest) => delete (manifest as Partial<OpenManifest>).spec, "spec", "found nothing"],
    ["spec is text", (manifest) => (manifest.spec = "x" as never), "spec", 'found the text "x", expected a map'],
    ["no metadata", (manifest) => delete (manifest as Partial<OpenManifest>).metadata, "metadata", "found nothing"],
    ["other kind", (manifest) => (manifest.kind = "TidbMonitor"), "kind", 'found "TidbMonitor", expected TidbCluster'],
    [
        "other version",
        (manifest) => (manifest.apiVersion = "core.pingcap.com/v2"),
        "apiVersion",
        "pingcap.com/v1alpha1",
    ],

    // Metadata
    ["no name", ({ metadata }) => delete metadata.name, "metadata.name", "found nothing"],
    ["upper case", ({ metadata }) => (metadata.name = "Shop"), "metadata.name", "lower-case"],
    ["a digit first", ({ metadata }) => (metadata.name = "1shop"), "metadata.name", "starting with a letter"],
    ["a dot", ({ metadata }) => (metadata.name = "my.shop"), "metadata.name", "lower-case"],
    [
        "too long for pods",
        ({ metadata }) => (metadata.name = name48),
        "metadata.name",
        "48 characters, expected at most 47",
    ],
    ["namespace", ({ metadata }) => (metadata.namespace = "a_b"), "metadata.namespace", "a DNS label"],
    ["label value", ({ metadata }) => (metadata.labels = { a: "-" }), "metadata.labels.a", "letters"],
    ["label key", ({ metadata }) => (metadata.labels = { "a b": "c" }), "metadata.labels", 'the key "a b"'],
    ["annotation key", ({ metadata }) => (metadata.annotations = { "a/b/c": "" }), "metadata.annotations", "a/b/c"],
    [
        "delete slots",
        ({ metadata }) => (metadata.annotations = { "tikv.tidb.pingcap.com/delete-slots": "1,2" }),
        "metadata.annotations.tikv.tidb.pingcap.com/delete-slots",
        "a JSON list of ordinals",
    ],

    // Cluster
    ["no member", (manifest) => (manifest.spec = { version: "v8.5.3" }), "spec", "at least one of pd, tiproxy"],
    ["no image", ({ spec }) => delete spec.version, "spec.version", "a version such as v8.5.3"],
    ["version is not a tag", ({ spec }) => (spec.version = "v8 5"), "spec.version", "an image tag"],
    ["PD address", ({ spec }) => (spec.pdAddresses = ["pd:2379"]), "spec.pdAddresses[0]", "http://"],
    ["flag", ({ spec }) => (spec.startScriptV2FeatureFlags = ["X"]), "spec.startScriptV2FeatureFlags[0]", "NoWaitDNS"],
    ["cluster without name", ({ spec }) => (spec.cluster = {}), "spec.cluster.name", "found nothing"],

    // Resources and volumes
    [
        "no quantity",
        ({ spec }) => (spec.tikv.requests.storage = "100 GB"),
        "spec.tikv.requests.storage",
        "a quantity such as 100Gi or 100G",
    ],
    [
        "negative quantity",
        ({ spec }) => (spec.tikv.limits = { cpu: "-1" }),
        "spec.tikv.limits.cpu",
        "a quantity such as 2 or 500m, not below 0",
    ],
    [
        "huge quantity",
        ({ spec }) => (spec.tikv.limits = { memory: "9Ei" }),
        "spec.tikv.limits.memory",
        "a quantity such as 100Gi or 100G",
    ],
    [
        "no count",
        ({ spec }) => (spec.tikv.limits = { "nvidia.com/gpu": "one" }),
        "spec.tikv.limits.nvidia.com/gpu",
        "a quantity such as 1",
    ],
    [
        "endless quantity",
        ({ spec }) => (spec.tidb.limits = { memory: "9".repeat(99) }),
        "spec.tidb.limits.memory",
        "a qu",
    ],
    ["empty volume", ({ spec }) => (spec.pd.requests.storage = "0"), "spec.pd.requests.storage", "above 0"],
    ["PD without volume", ({ spec }) => delete spec.pd.requests, "spec.pd.requests.storage", "[storage]"],
    ["TiKV without volume", ({ spec }) => (spec.tikv.requests = { cpu: 1 }), "spec.tikv.requests.storage", "[storage]"],
    [
        "request above limit",
        ({ spec }) =>
            Object.assign(spec.tikv, { requests: { storage: "1Gi", memory: "2Gi" }, limits: { memory: "1Gi" } }),
        "spec.tikv.requests.memory",
        'at most its limit, "1Gi"',
    ],
    [
        "volume without name",
        ({ spec }) => (spec.pd.storageVolumes = [{ name: "", storageSize: "1Gi" }]),
        "spec.pd.storageVolumes[0].name",
        "the name",
    ],
    [
        "volume name",
        ({ spec }) => (spec.pd.storageVolumes = [{ name: "A", storageSize: "1Gi" }]),
        "spec.pd.storageVolumes[0].name",
        "a DNS label",
    ],
    [
        "volume twice",
        ({ spec }) => (spec.tikv.storageVolumes = [1, 2].map(() => ({ name: "a", storageSize: "1Gi" }))),
        "spec.tikv.storageVolumes[1].name",
        "no other volume",
    ],
    [
        "volume size",
        ({ spec }) => (spec.tidb.storageVolumes = [{ name: "a", storageSize: "big" }]),
        "spec.tidb.storageVolumes[0].storageSize",
        "a quantity",
    ],
    [
        "volume path",
        ({ spec }) => (spec.tidb.storageVolumes = [{ name: "a", storageSize: "1Gi", mountPath: "data" }]),
        "spec.tidb.storageVolumes[0].mountPath",
        "an absolute path",
    ],
    ["absolute folder", ({ spec }) => (spec.tikv.dataSubDir = "/data"), "spec.tikv.dataSubDir", "a relative path"],
    ["folder above", ({ spec }) => (spec.tikv.dataSubDir = "a/../../b"), "spec.tikv.dataSubDir", "without '..'"],
    [
        "unknown log volume",
        ({ spec }) => Object.assign(spec.tikv, { separateRaftLog: true, raftLogVolumeName: "logs" }),
        "spec.tikv.raftLogVolumeName",
        "(tidb-operator: spec.tikv.volumeName)",
    ],
    [
        "unknown slow log volume",
        ({ spec }) => (spec.tidb.slowLogVolumeName = "logs"),
        "spec.tidb.slowLogVolumeName",
        "volumeName",
    ],

    // Containers
    ["variable without name", ({ spec }) => (spec.pd.env = [{ name: "" }]), "spec.pd.env[0].name", "found nothing"],
    [
        "variable name",
        ({ spec }) => (spec.pd.env = [{ name: "1A" }]),
        "spec.pd.env[0].name",
        "not starting with a digit",
    ],
    [
        "field reference",
        ({ spec }) => (spec.tidb.env = [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }]),
        "spec.tidb.env[0].valueFrom.fieldRef",
        "configMapKeyRef or secretKeyRef",
    ],
    [
        "resource reference",
        ({ spec }) => (spec.tidb.env = [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }]),
        "spec.tidb.env[0].valueFrom.resourceFieldRef",
        "configMapKeyRef or secretKeyRef",
    ],
    [
        "no source",
        ({ spec }) => (spec.tikv.env = [{ name: "A", valueFrom: {} }]),
        "spec.tikv.env[0].valueFrom",
        "no source",
    ],
    [
        "value and source",
        ({ spec }) =>
            (spec.tikv.env = [{ name: "A", value: "1", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }]),
        "spec.tikv.env[0].valueFrom",
        "both value and valueFrom",
    ],
    [
        "two sources",
        ({ spec }) => {
            const reference = { name: "s", key: "k" };
            spec.tikv.env = [{ name: "A", valueFrom: { secretKeyRef: reference, configMapKeyRef: reference } }];
        },
        "spec.tikv.env[0].valueFrom",
        "one source",
    ],
    [
        "name of a Secret",
        ({ spec }) => (spec.tikv.env = [{ name: "A", valueFrom: { secretKeyRef: { name: "S S", key: "k" } } }]),
        "spec.tikv.env[0].valueFrom.secretKeyRef.name",
        "the name of a ConfigMap or Secret",
    ],
    [
        "key of a ConfigMap",
        ({ spec }) => (spec.tikv.env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "s", key: "a/b" } } }]),
        "spec.tikv.env[0].valueFrom.configMapKeyRef.key",
        "a key",
    ],
    [
        "container without image",
        ({ spec }) => (spec.discovery = { additionalContainers: [{ name: "a" }] }),
        "spec.discovery.additionalContainers[0].image",
        "an image",
    ],
    ["pod label", ({ spec }) => (spec.tidb.labels = { a: "b c" }), "spec.tidb.labels.a", "letters"],
    ["node selector", ({ spec }) => (spec.nodeSelector = { a: "b c" }), "spec.nodeSelector.a", "letters"],
    [
        "startup probe",
        ({ spec }) => (spec.tidb.customizedStartupProbe = { image: "a:1", binaryName: "a; rm -rf" }),
        "spec.tidb.customizedStartupProbe.binaryName",
        "lower-case letters",
    ],

    // Services, times, configuration
    [
        "network",
        ({ spec }) =>
            (spec.tidb.service = { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/24", "10.0.0.0/33"] }),
        "spec.tidb.service.loadBalancerSourceRanges[1]",
        "LoadBalancerSourceRanges",
    ],
    ["port", ({ spec }) => (spec.tidb.service.port = 70000), "spec.tidb.service.port", "from 1 to 65535"],
    [
        "service type",
        ({ spec }) => (spec.pd.service = { type: "Clusterip" }),
        "spec.pd.service.type",
        "did you mean ClusterIP?",
    ],
    [
        "duration",
        ({ spec }) => (spec.tikv.evictLeaderTimeout = "5 minutes"),
        "spec.tikv.evictLeaderTimeout",
        "a Go duration",
    ],
    ["no time", ({ spec }) => (spec.tikv.evictLeaderTimeout = "0s"), "spec.tikv.evictLeaderTimeout", "above zero"],
    [
        "parallelism",
        ({ spec }) => (spec.tikv.scalePolicy = { scaleInParallelism: 0 }),
        "spec.tikv.scalePolicy.scaleInParallelism",
        "ScaleInParallelism",
    ],
    ...(["externalTrafficPolicy", "mysqlNodePort", "statusNodePort"] as const).map((name): Rule => [
        `an inner Service with ${name}`,
        ({ spec }) => (spec.tidb.service[name] = name === "externalTrafficPolicy" ? "Local" : 30001),
        `spec.tidb.service.${name}`,
        "Kubernetes refuses it on a Service of type ClusterIP",
    ]),
    [
        "spread without key",
        ({ spec }) => (spec.tikv.topologySpreadConstraints = [{ topologyKey: "" }]),
        "spec.tikv.topologySpreadConstraints[0].topologyKey",
        "the key of a node label",
    ],
    [
        "spread by one key twice",
        ({ spec }) => (spec.topologySpreadConstraints = [{ topologyKey: "a" }, { topologyKey: "a" }]),
        "spec.topologySpreadConstraints[1].topologyKey",
        "a key that no other constraint has",
    ],
    ["claim without name", ({ spec }) => (spec.pd.claims = [{}]), "spec.pd.claims[0].name", "text"],
    [
        "claim twice",
        ({ spec }) => (spec.tidb.claims = [{ name: "gpu" }, { name: "gpu" }]),
        "spec.tidb.claims[1].name",
        "a name that no other claim has",
    ],
    [
        "log tailer's quantity",
        ({ spec }) => Object.assign(spec.tikv, { separateRaftLog: true, logTailer: { limits: { cpu: "much" } } }),
        "spec.tikv.logTailer.limits.cpu",
        "a quantity",
    ],
    [
        "TOML",
        ({ spec }) => (spec.tikv.config = "[a\nb = 1"),
        "spec.tikv.config",
        "spec.tikv.config: line 1, column 3: invalid TOML: ",
    ],
    [
        "huge number",
        ({ spec }) => (spec.tidb.config = { a: { b: 2 ** 60 } }),
        "spec.tidb.config.a.b",
        "write the configuration as TOML",
    ],
    [
        "half a character in a key",
        ({ spec }) => (spec.tikv.config = { log: { "\ud800level": "info" } }),
        "spec.tikv.config.log",
        "keys of whole characters",
    ],
    ["a list as configuration", ({ spec }) => (spec.tidb.config = []), "spec.tidb.config", "text or a map"],
    ["text for a table", ({ spec }) => (spec.tidb.config = { log: "x" }), "spec.tidb.config.log", "expected a table"],
];

describe("errors of a manifest", () => {
    it("are empty for a good one", () => {
        assert.deepEqual(problemsOf(smallCluster()), []);
    });

    for (const [title, change, field, message] of rules) {
        it(`${title}: ${field}`, () => {
            const errors = problemsOf(smallCluster(change)).filter(({ severity }) => severity === "error");
            assert.deepEqual(
                errors.map((problem) => problem.field),
                [field],
            );
            assert.ok(
                typeof message === "string" ? errors[0].message.includes(message) : message.test(errors[0].message),
                errors[0].message,
            );
        });
    }

    for (const [title, change, message] of [
        [
            "in the schema",
            ({ spec }: OpenManifest) => (spec.pd = { replcas: 3, requests: { storage: "10Gi" } }),
            "spec.pd.replcas is not a known field, and replicas is missing; did you mean replicas?",
        ],
        [
            "in the rules",
            ({ spec }: OpenManifest) => (spec.tiflash = { replicas: 1, storgeClaims: [{ resources: {} }] }),
            "spec.tiflash.storgeClaims is not a known field, and storageClaims is missing; did you mean storageClaims?",
        ],
        [
            "around the missing one",
            ({ spec }: OpenManifest) => (spec.tikv = { replicas: 3, reqests: { storage: "10Gi" } }),
            "spec.tikv.reqests is not a known field, and requests is missing; did you mean requests?",
        ],
        [
            "among requests",
            ({ spec }: OpenManifest) => (spec.tikv = { replicas: 3, requests: { storag: "10Gi" } }),
            "spec.tikv.requests.storag is not a known field, and storage is missing; did you mean storage?",
        ],
        [
            "in a claim",
            ({ spec }: OpenManifest) =>
                (spec.tiflash = { replicas: 1, storageClaims: [{ resources: { requests: { strage: "10Gi" } } }] }),
            "spec.tiflash.storageClaims[0].resources.requests.strage is not a known field, and storage is missing; did you mean storage?",
        ],
    ] as const) {
        it(`are one for a required field under another name, ${title}`, () => {
            const found = problemsOf(smallCluster(change));
            assert.deepEqual(
                found.map(({ message: words, severity }) => [severity, words]),
                [["error", message]],
            );
        });
    }

    for (const [change, message] of [
        [({ spec }) => (spec.versoin = "v1"), "spec.versoin is not a known field; did you mean version?"],
        [({ spec }) => (spec.tikv.replica = 4), "spec.tikv.replica is not a known field; did you mean replicas?"],
        [({ spec }) => (spec.tikv.somethingElse = {}), "spec.tikv.somethingElse is not a known field; remove it"],
        [
            ({ spec }) => (spec.tidb.service.port1 = 1),
            "spec.tidb.service.port1 is not a known field; did you mean port?",
        ],
        [({ metadata }) => (metadata.nmae = "x"), "metadata.nmae is not a known field; did you mean name?"],
        [(manifest) => (manifest.notes = 1), "notes is not a known field; remove it"],
        [(manifest) => Object.assign(manifest, { status: {}, notes: 1 }), "notes is not a known field; remove it"],
        [
            ({ spec }) => (spec.tikv.limits = { memroy: "8Gi" }),
            "spec.tikv.limits.memroy is not a known field; did you mean memory?",
        ],
        [
            ({ spec }) => (spec.tidb.slowLogTailer = { requests: { fpga: 1 } }),
            "spec.tidb.slowLogTailer.requests.fpga: found a resource of that name, expected storage, memory, cpu, ephemeral-storage, or a name such as nvidia.com/gpu",
        ],
    ] as [(manifest: OpenManifest) => void, string][]) {
        it(`are those of a typing error that would be lost without a word: ${message}`, () => {
            assert.deepEqual(
                problemsOf(smallCluster(change)).map(({ message: words, severity }) => [severity, words]),
                [["error", message]],
            );
        });
    }

    it("never say that a field is missing that is there and lacks something itself", () => {
        const found = problemsOf(
            smallCluster(({ spec }: OpenManifest) => {
                spec.tikvv = {};
                spec.tikv = { replicas: 3, reqests: { storage: "10Gi" } };
            }),
        );
        assert.deepEqual(
            found.map(({ field, meant }) => [field, meant]),
            [
                ["spec.tikvv", undefined],
                ["spec.tikv.reqests", "spec.tikv.requests"],
            ],
        );
    });

    it("are two where the unknown field resembles another one than the missing one", () => {
        const found = problemsOf(smallCluster(({ spec }) => (spec.pd = { confg: 1, requests: { storage: "10Gi" } })));
        assert.deepEqual(
            found.map(({ field, severity }) => [field, severity]),
            [
                ["spec.pd.replicas", "error"],
                ["spec.pd.confg", "error"],
            ],
        );
    });

    it("are in the order in which the manifest has its members", () => {
        const { spec, ...rest } = smallCluster(({ spec: { tikv, pd } }) => (tikv.env = pd.env = [{ name: "1" }]));
        const fields = (members: string[]) => {
            const ordered = Object.fromEntries(members.map((member) => [member, spec[member] as unknown]));
            return problemsOf({ ...rest, spec: { version: spec.version as unknown, ...ordered } }).map(
                ({ field }) => field,
            );
        };
        const found = ["spec.tikv.env[0].name", "spec.pd.env[0].name"];
        assert.deepEqual(fields(["tikv", "pd", "tidb"]), found);
        assert.deepEqual(fields(["pd", "tikv", "tidb"]), [...found].reverse());
    });

    it("are reported all at once", () => {
        const manifest = smallCluster(({ metadata, spec }) => {
            metadata.name = "Shop";
            spec.tikv.replicas = "3";
            spec.tikv.requests.storage = "much";
            spec.tidb.config = "[";
            spec.pd.env = [{ name: 5 }, { name: "1" }];
        });
        assert.deepEqual(
            problemsOf(manifest)
                .map(({ field }) => field)
                .sort(),
            [
                "metadata.name",
                "spec.pd.env[0].name",
                "spec.pd.env[1].name",
                "spec.tidb.config",
                "spec.tikv.replicas",
                "spec.tikv.requests.storage",
            ],
        );
    });

    it("leave the checked manifest unchanged", () => {
        const manifest = smallCluster(({ spec }) => Object.assign(spec, { unknown: 1, tiflash: {}, version: 5 }));
        const before = structuredClone(manifest);
        problemsOf(manifest);
        assert.deepEqual(manifest, before);
    });

    it("leave room for the longest name that pods can have", () => {
        const manifest = smallCluster(({ metadata }) => (metadata.name = "a".repeat(47)));
        assert.deepEqual(problemsOf(manifest), []);
    });

    for (const nothing of [null, undefined, 5, "text", [], new Date(), () => 1]) {
        it(`name ${String(nothing)}, which is not a manifest`, () => {
            assert.deepEqual(
                problemsOf(nothing).map(({ field, severity }) => [field, severity]),
                [["", "error"]],
            );
        });
    }
});
