import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type PdSections, readPdFile } from "../../../sandbox/dataPlane/facts/pdFile";
import { defaultReplication, defaultSchedule, defaultServer } from "../../../sandbox/dataPlane/pdApi/defaultConfig";
import { findFreePorts } from "../../../sandbox/controlPlane/ports";
import { withPdServer } from "./realPd";

/** What a PD takes from its file when it is new: the items that it then reports, or the message with which it ends. */
interface FileCase {
    readonly name: string;
    readonly file: readonly string[];
    readonly reports?: Partial<Record<keyof PdSections, Readonly<Record<string, unknown>>>>;
    readonly ends?: string;
}

const label = "^[$]?[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$";
const schedule = (line: string) => ["[schedule]", line];
const replication = (line: string) => ["[replication]", line];

const cases: readonly FileCase[] = [
    {
        name: "takes lists, booleans, numbers and durations, each in its own form, and ignores what it does not know",
        file: [
            ...replication('location-labels = ["zone", "host"]'),
            'isolation-level = "zone"',
            "max-replicas = 5",
            "strictly-match-label = true",
            ...schedule('max-store-down-time = "90s"'),
            "leader-schedule-limit = 8",
            "enable-location-replacement = false",
            "max-merge-region-size = 20",
            "tolerant-size-ratio = 2.5",
            "bogus = 3",
            "[pd-server]",
            "flow-round-by-digit = 5",
        ],
        reports: {
            replication: {
                "location-labels": "zone,host",
                "isolation-level": "zone",
                "max-replicas": 5,
                "strictly-match-label": "true",
            },
            schedule: {
                "max-store-down-time": "1m30s",
                "leader-schedule-limit": 8,
                "enable-location-replacement": "false",
                "max-merge-region-size": 20,
                "max-merge-region-keys": 200_000,
                "tolerant-size-ratio": 2.5,
            },
            "pd-server": { "flow-round-by-digit": 5 },
        },
    },
    {
        name: "takes its default for a zero that makes no sense, and 0 where it does",
        file: [
            ...replication("max-replicas = 0"),
            ...schedule("leader-schedule-limit = 0"),
            'max-store-down-time = "0s"',
        ],
        reports: {
            replication: { "max-replicas": 3 },
            schedule: { "leader-schedule-limit": 0, "max-store-down-time": "30m0s" },
        },
    },
    {
        name: "writes a duration as Go does",
        file: schedule('max-store-down-time = "1.5h"'),
        reports: { schedule: { "max-store-down-time": "1h30m0s" } },
    },
    {
        name: "an isolation level that is no location label",
        file: [...replication('location-labels = ["zone"]'), 'isolation-level = "rack"'],
        ends: "isolation-level must be one of location-labels or empty",
    },
    {
        name: "a text for a number",
        file: replication('max-replicas = "five"'),
        ends: "toml: cannot load TOML value of type string into a Go integer",
    },
    {
        name: "a fraction for a whole number",
        file: schedule("leader-schedule-limit = 4.5"),
        ends: "toml: cannot load TOML value of type float64 into a Go integer",
    },
    {
        name: "a truth value for a number",
        file: schedule("leader-schedule-limit = true"),
        ends: "toml: cannot load TOML value of type bool into a Go integer",
    },
    {
        name: "a text for a truth value, in the form in which PD reports it",
        file: schedule('enable-location-replacement = "false"'),
        ends: "toml: cannot load TOML value of type string into a Go boolean",
    },
    {
        name: "a number for a text",
        file: replication("isolation-level = 3"),
        ends: "toml: cannot load TOML value of type int64 into a Go string",
    },
    {
        name: "location labels in one text, in the form in which PD reports them",
        file: replication('location-labels = "zone"'),
        ends: "toml: cannot load TOML value of type string into a Go slice",
    },
    {
        name: "two location labels in one",
        file: replication('location-labels = ["zone,host"]'),
        ends: `zone,host does not match format "${label}"`,
    },
    {
        name: "a location label with an odd character",
        file: replication('location-labels = ["zone!"]'),
        ends: `zone! does not match format "${label}"`,
    },
    {
        name: "a duration without a number",
        file: schedule('max-store-down-time = "soon"'),
        ends: 'time: invalid duration "soon"',
    },
    {
        name: "a duration without a unit",
        file: schedule("max-store-down-time = 90"),
        ends: 'time: missing unit in duration "90"',
    },
    {
        name: "a share above 1",
        file: schedule("low-space-ratio = 3.5"),
        ends: "low-space-ratio should between 0 and 1",
    },
    {
        name: "two shares in the wrong order",
        file: schedule("high-space-ratio = 0.9"),
        ends: "low-space-ratio should be larger than high-space-ratio",
    },
    {
        name: "an unknown policy",
        file: schedule('leader-schedule-policy = "foo"'),
        ends: "leader-schedule-policy foo is invalid",
    },
    {
        name: "a text for a table",
        file: ['schedule = "x"'],
        ends: "toml: type mismatch for config.ScheduleConfig: expected table but found string",
    },
];

const sections = ["schedule", "replication", "pd-server"] as const;

/** The items that a case names, of all that is reported. */
function named(reported: PdSections, { reports = {} }: FileCase): FileCase["reports"] {
    const found = sections.filter((section) => reports[section] !== undefined);
    return Object.fromEntries(
        found.map((section) => [
            section,
            Object.fromEntries(Object.keys(reports[section] ?? {}).map((key) => [key, reported[section][key]])),
        ]),
    );
}

describe("the file of a new PD: the simulator", () => {
    const defaults = { schedule: defaultSchedule, replication: defaultReplication, "pd-server": defaultServer };
    for (const one of cases) {
        it(`${one.name}${one.ends === undefined ? "" : ": ends"}`, async () => {
            const toml = await import("smol-toml");
            const read = () => readPdFile(toml.parse(one.file.join("\n")), defaults);
            if (one.ends === undefined) {
                assert.deepEqual(named(read(), one), one.reports);
            } else {
                assert.throws(read, { name: "RefusedPdFile", message: one.ends });
            }
        });
    }
});

withPdServer("the file of a new PD: a real pd-server", (command) => {
    describe(`the file of a new PD: a real ${command}`, function () {
        this.timeout(60_000);
        for (const one of cases) {
            it(`${one.name}${one.ends === undefined ? "" : ": ends"}`, async () => {
                const { output, reported } = await askNewPd(command, one.file.join("\n"));
                if (one.ends === undefined) {
                    assert.deepEqual(reported && named(reported, one), one.reports, output);
                } else {
                    assert.equal(output.trim().split("\n").at(-1), one.ends);
                }
            });
        }
    });
});

/** Starts a PD with a file. @returns what it reports, or what it said when it ended */
async function askNewPd(command: string, file: string): Promise<{ output: string; reported?: PdSections }> {
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-pd-file-"));
    const [client, peer] = (await findFreePorts(2)).map((port) => `http://127.0.0.1:${port}`);
    const at = (name: string) => path.join(folder, name);
    writeFileSync(at("pd.toml"), file);
    const options = {
        "data-dir": at("data"),
        "log-file": at("log"),
        config: at("pd.toml"),
        "client-urls": client,
        "peer-urls": peer,
    };
    const words = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
    const pd = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    [pd.stdout, pd.stderr].forEach((stream) => stream.on("data", (part) => (output += String(part))));
    const ended = new Promise<undefined>((resolve) => pd.once("close", () => resolve(undefined)));
    const reported = async (): Promise<PdSections> => {
        for (;;) {
            const answer = await fetch(`${client}/pd/api/v1/config`).catch(() => undefined);
            if (answer?.ok) {
                return (await answer.json()) as PdSections;
            }
            await pause(200);
        }
    };
    try {
        const first = await Promise.race([ended, reported()]);
        return { output: output || readFileSync(at("log"), "utf8"), reported: first };
    } finally {
        pd.kill("SIGKILL");
        await ended;
        rmSync(folder, { recursive: true });
    }
}
