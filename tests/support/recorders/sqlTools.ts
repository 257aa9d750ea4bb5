import * as fs from "node:fs";
import * as path from "node:path";
import { tablesPath } from "../../../sandbox/dataPlane/facts/userTable";

/** What a recorder takes for TiDB: how it lets a client in, and its tables. */
export interface RecordedTidb {
    host: string;
    port: number;
    user: string;
    password: string;
    /** The rows of each table, by its name with the database; or the URL of the simulated PD whose cluster has them. */
    tables: Record<string, string[]> | string;
}

/** The recorders of `dumpling` and `tidb-lightning` in a folder. */
export interface SqlTools {
    /** The folder with the programs. */
    readonly programs: string;
    /** Sets what both find at the other end. */
    setTidb(tidb: RecordedTidb): void;
    tidb(): RecordedTidb;
}

/**
 * The flags of Dumpling v8.5: those with a value, and those that may stand alone, with their short forms (pingcap/tidb dumpling/export/config.go,
 * br/pkg/storage/flags.go).
 */
const dumplingFlags = {
    values: {
        ...{ database: "B", "tables-list": "T", host: "h", user: "u", port: "P", password: "p", threads: "t" },
        ...{ filesize: "F", "statement-size": "s", output: "o", loglevel: "", logfile: "L", logfmt: "" },
        ...{ consistency: "", snapshot: "", "status-addr": "", rows: "r", where: "", filetype: "" },
        ...{ "csv-null-value": "", sql: "S", filter: "f", "tidb-mem-quota-query": "", ca: "", cert: "", key: "" },
        ...{ "csv-separator": "", "csv-delimiter": "", "output-filename-template": "", params: "", compress: "c" },
        ...{
            "s3.endpoint": "",
            "s3.region": "",
            "s3.storage-class": "",
            "s3.sse": "",
            "s3.acl": "",
            "s3.provider": "",
        },
        ...{ "gcs.storage-class": "", "gcs.predefined-acl": "", "azblob.access-tier": "" },
    },
    switches: {
        ...{ "allow-cleartext-passwords": "", "no-views": "W", "escape-backslash": "", "no-header": "" },
        ...{ "no-sequences": "", "no-schemas": "m", "no-data": "d", "case-sensitive": "", "dump-empty-database": "" },
        ...{ "complete-insert": "", help: "", version: "V" },
    },
};

/** The flags of TiDB Lightning v8.5 (pingcap/tidb pkg/lightning/config/global.go). */
const lightningFlags = {
    values: [
        "c",
        "config",
        "L",
        "log-file",
        "tidb-host",
        "tidb-port",
        "tidb-user",
        "tidb-password",
        "tidb-status",
    ].concat([
        "pd-urls",
        "d",
        "backend",
        "sorted-kv-dir",
        "checksum",
        "analyze",
        "ca",
        "cert",
        "key",
        "status-addr",
        "f",
    ]),
    switches: ["V", "enable-checkpoint", "no-schema", "check-requirements", "redact-info-log", "server-mode"],
};

const common = `
const fs = require("node:fs"), path = require("node:path");
const end = (words, code) => { console.log(words); process.exit(code); };
const folderOf = (url) => url.startsWith("local://") ? url.slice("local://".length) : end("storage " + url + " not support yet", 1);
const enter = ({ host, port, user, password }) => {
    const tidb = JSON.parse(fs.readFileSync(TIDB, "utf8"));
    if (host !== tidb.host || Number(port) !== tidb.port) end("dial tcp: lookup " + host + ": no such host", 1);
    if (user !== tidb.user || password !== tidb.password) end("Error 1045 (28000): Access denied for user '" + user + "'", 1);
    return tidb;
};
const call = async (url, options) => {
    const answer = await fetch(url + TABLES, options);
    return answer.ok ? answer.json() : end("Error 9001 (HY000): PD server: " + (await answer.text()), 1);
};
const readTables = async ({ tables }) => typeof tables === "object" ? tables
    : Object.fromEntries((await call(tables)).tables.map(({ database, name, rows }) => [database + "." + name, rows]));
const writeTables = async (tidb, tables) => {
    if (typeof tidb.tables === "object") return fs.writeFileSync(TIDB, JSON.stringify({ ...tidb, tables }));
    for (const [table, rows] of Object.entries(tables)) {
        const [database, name] = table.split(".");
        await call(tidb.tables, { method: "POST", body: JSON.stringify({ database, name, rows }) });
    }
};
`;

/** As pflag reads flags: the last of two counts, a switch needs \`=\` for a value, and short ones may share one argument. */
const dumpling = `
const { values, switches } = FLAGS, found = { port: "4000", user: "root", host: "127.0.0.1", "status-addr": ":8281", password: "" };
const long = (short, of) => Object.keys(of).find((name) => of[name] === short);
const words = process.argv.slice(2), filters = [];
const set = (name, value) => name === "filter" ? filters.push(value) : found[name] = value;
for (let word; (word = words.shift()) !== undefined;) {
    if (word.startsWith("--")) {
        const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
        if (name in switches) set(name, value ?? "true");
        else if (!(name in values)) end("unknown flag: " + word, 2);
        else if (value === undefined && words.length === 0) end("flag needs an argument: " + word, 2);
        else set(name, value ?? words.shift());
    } else if (word.startsWith("-")) {
        for (let rest = word.slice(1); rest !== "";) {
            const one = rest[0];
            rest = rest.slice(1);
            if (long(one, switches) !== undefined) { set(long(one, switches), "true"); continue; }
            if (long(one, values) === undefined) end("unknown shorthand flag: " + one, 2);
            set(long(one, values), rest === "" ? words.shift() : rest.replace(/^=/, ""));
            rest = "";
        }
    } else end("meet some unparsed arguments, please check again: [" + word + "]", 1);
}
if (found.help || found.version) end("Release version: v8.5.3", 0);
if (found["status-addr"] !== "") console.log("serving " + process.argv.join(" ") + " at " + found["status-addr"]);
const tidb = enter(found), folder = folderOf(found.output ?? ".");
fs.mkdirSync(folder, { recursive: true });
const databases = new Set();
for (const [name, rows] of Object.entries(await readTables(tidb))) {
    const [database, table] = name.split(".");
    if (filters.length > 0 && !filters.includes(database + ".*")) continue;
    databases.add(database);
    fs.writeFileSync(path.join(folder, name + "-schema.sql"), "CREATE TABLE \`" + table + "\`;\\n");
    fs.writeFileSync(path.join(folder, name + ".000000000.sql"), rows.map((row) => row + "\\n").join(""));
}
for (const database of databases) fs.writeFileSync(path.join(folder, database + "-schema-create.sql"), "CREATE DATABASE \`" + database + "\`;\\n");
fs.writeFileSync(path.join(folder, "metadata"), "Started dump at: now\\n");
end("dump data successfully, dumpling will exit now", 0);
`;

/** As Go's package flag reads them: one dash is as good as two. Flags count more than the file. */
const lightning = `
const { parse } = require(TOML);
const { values, switches } = FLAGS, found = {}, words = process.argv.slice(2);
for (let word; (word = words.shift()) !== undefined;) {
    const [, name, value] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? end("unexpected argument " + word, 2);
    if (switches.includes(name)) found[name] = value ?? "true";
    else if (!values.includes(name)) end("flag provided but not defined: -" + name, 2);
    else found[name] = value ?? words.shift();
}
const mode = fs.statSync(found.config).mode & 0o777;
if (mode !== 0o600) end("everyone may read " + found.config + ": " + mode.toString(8), 1);
if ("TIDB_PASSWORD" in process.env) end("the password is still in the environment", 1);
const { tidb: given } = parse(fs.readFileSync(found.config, "utf8"));
const tidb = enter({ host: found["tidb-host"], port: found["tidb-port"], user: found["tidb-user"], password: found["tidb-password"] ?? given.password });
if (found.backend !== "tidb") end("cannot fetch settings from TiDB", 1);
const folder = folderOf(found.d), files = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
if (files.length === 0) end("tidb lightning encountered error: no file to import", 1);
const tables = await readTables(tidb);
for (const file of files) {
    const [, name] = /^(.+)\\.\\d+\\.sql$/.exec(file) ?? [];
    if (name !== undefined) (tables[name] ??= []).push(...fs.readFileSync(path.join(folder, file), "utf8").split("\\n").filter(Boolean));
}
await writeTables(tidb, tables);
end("tidb lightning exit successfully", 0);
`;

/** Writes both programs. They know the flags of the real ones, and refuse others. */
export function writeSqlTools(folder: string): SqlTools {
    const programs = path.join(folder, "bin");
    const file = path.join(folder, "tidb.json");
    fs.mkdirSync(programs, { recursive: true });
    const write = (name: string, flags: object, program: string) => {
        const constants = { TIDB: file, TABLES: tablesPath, FLAGS: flags, TOML: require.resolve("smol-toml") };
        const head = Object.entries(constants).map(([key, value]) => `const ${key} = ${JSON.stringify(value)};\n`);
        const text = `#!${process.execPath}\n"use strict";\n${head.join("")}${common}(async () => {${program}})();\n`;
        fs.writeFileSync(path.join(programs, name), text, { mode: 0o755 });
    };
    write("dumpling", dumplingFlags, dumpling);
    write("tidb-lightning", lightningFlags, lightning);
    return {
        programs,
        setTidb: (tidb) => fs.writeFileSync(file, JSON.stringify(tidb)),
        tidb: () => JSON.parse(fs.readFileSync(file, "utf8")) as RecordedTidb,
    };
}
