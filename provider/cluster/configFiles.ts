import { settingsIn } from "../lifecycle/settings/settingIn";
import type { SettingsLook } from "../lifecycle/vocabulary/look";
import type { Settings } from "../lifecycle/vocabulary/settings";

/**
 * @returns the values at these keys in the configurations of a ConfigMap.
 * @throws Error that names the file if it is not valid TOML.
 */
export function settingsInFiles(
    files: SettingsLook["files"],
    data: Readonly<Record<string, string>>,
    keys: readonly string[],
): Settings {
    // Loaded here, because other gates start faster without it.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { parse } = require("smol-toml") as typeof import("smol-toml", { with: { "resolution-mode": "import" } });
    const found = files.map(({ key, path }) => {
        if (data[key] === undefined) {
            return {};
        }
        try {
            const config = parse(data[key], { integersAsBigInt: true });
            return settingsIn(path === "" ? config : { [path]: config }, keys);
        } catch (error) {
            throw new Error(`key ${key} of the ConfigMap is not valid TOML: ${(error as Error).message}`, {
                cause: error,
            });
        }
    });
    return Object.assign({}, ...found) as Settings;
}
