import type { ConfigInput, ConfigTable } from "../componentSpec";

type SmolToml = typeof import("smol-toml", { with: { "resolution-mode": "import" } });

/** A table of a TOML document. Whole numbers are bigint, other numbers are number. */
export interface TomlTable {
    [key: string]: TomlValue;
}

/** A value of a TOML document. */
export type TomlValue = string | number | bigint | boolean | Date | TomlValue[] | TomlTable;

/**
 * Reads a configuration: TOML text, or a map with the same keys. Whole numbers become bigint, which preserves 64-bit values
 * and the difference between `1` and `1.0`.
 *
 * @throws TomlError with line and column if the text is not valid TOML.
 */
export function readConfig(config: ConfigInput | undefined): TomlTable {
    if (config === undefined) {
        return {};
    }
    return typeof config === "string"
        ? (smolToml().parse(config, { integersAsBigInt: true }) as TomlTable)
        : (tomlValue(config) as TomlTable);
}

/** Writes a configuration with sorted keys, so equal configurations have equal text. */
export function writeConfig(config: TomlTable): string {
    return Object.keys(config).length === 0
        ? ""
        : `${smolToml().stringify(inOrder(config), { numbersAsFloat: true }).trimEnd()}\n`;
}

/** @returns the configuration with sorted keys, as in its text: in each table, nested tables come last. */
export function inOrder(table: TomlTable): TomlTable {
    const keys = Object.keys(table).sort();
    const entries = keys.map((key): [string, TomlValue] => [key, valueInOrder(table[key])]);
    const hasTable = ([, value]: [string, TomlValue]): boolean => isTable(value) || isListOfTables(value);
    return Object.fromEntries([...entries.filter((entry) => !hasTable(entry)), ...entries.filter(hasTable)]);
}

function valueInOrder(value: TomlValue): TomlValue {
    return isListOfTables(value) ? value.map(inOrder) : isTable(value) ? inOrder(value) : inLine(value);
}

/** Sorts the keys of the tables in an inline list, whatever their values are. */
function inLine(value: TomlValue): TomlValue {
    if (Array.isArray(value)) {
        return value.map(inLine);
    }
    return isTable(value)
        ? Object.fromEntries(
              Object.keys(value)
                  .sort()
                  .map((key) => [key, inLine(value[key])]),
          )
        : value;
}

function isListOfTables(value: TomlValue): value is TomlTable[] {
    return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

/** @returns the dotted path of a key in the table at this path. A key with a dot is no path, and is quoted. */
export function pathOfKey(path: string, key: string): string {
    const name = isDotted(path, key) ? JSON.stringify(key) : key;
    return path === "" ? name : `${path}.${name}`;
}

/** @returns whether a name has a dot where no server has such a name. Names of labels may have one. */
export function isDotted(path: string, key: string): boolean {
    return key.includes(".") && !/(^|\.)labels$/.test(path);
}

/** @returns the value at a dotted path, such as `log.file.max-backups`; undefined if there is none. */
export function configValue(config: TomlTable, path: string): TomlValue | undefined {
    let value: TomlValue | undefined = config;
    for (const key of path.split(".")) {
        value = isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
    return value;
}

/** @returns the configuration with these values at their dotted paths. A value where a path needs a table is replaced. */
export function withConfigValues(config: TomlTable, values: Record<string, TomlValue>): TomlTable {
    let result = config;
    for (const [path, value] of Object.entries(values)) {
        result = withValue(result, path.split("."), value);
    }
    return result;
}

function withValue(table: TomlTable, [key, ...rest]: string[], value: TomlValue): TomlTable {
    const inner = Object.hasOwn(table, key) ? table[key] : undefined;
    return { ...table, [key]: rest.length === 0 ? value : withValue(isTable(inner) ? inner : {}, rest, value) };
}

/** @returns the configuration with these values at the dotted paths where it has no value. */
export function withConfigDefaults(config: TomlTable, values: Record<string, TomlValue>): TomlTable {
    const missing = Object.entries(values).filter(([path]) => configValue(config, path) === undefined);
    return withConfigValues(config, Object.fromEntries(missing));
}

/** @returns the configuration without these top-level keys. */
export function withoutConfigKeys(config: TomlTable, keys: readonly string[]): TomlTable {
    return Object.fromEntries(Object.entries(config).filter(([key]) => !keys.includes(key)));
}

/** Whether a TOML value is a table. */
export function isTable(value: unknown): value is TomlTable {
    return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function tomlValue(value: ConfigTable | unknown): TomlValue {
    if (typeof value === "number" && Number.isInteger(value)) {
        return BigInt(value);
    }
    if (Array.isArray(value)) {
        return value.map(tomlValue);
    }
    if (isTable(value)) {
        const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
        return Object.fromEntries(entries.map(([key, inner]) => [key, tomlValue(inner)]));
    }
    return value as TomlValue;
}

/** The TOML library, loaded when a configuration is first read. Its types are for ES modules only, its code is also CommonJS. */
function smolToml(): SmolToml {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require("smol-toml") as SmolToml;
}
