import type { ConfigInput } from "../componentSpec";
import { readConfig, type TomlTable } from "../kubernetes/toml";
import type { Member } from "../members";
import type { TidbClusterSpec } from "../spec";

/**
 * @returns the configurations that the user wrote for a member, by their field in the member's spec: `config`, and for TiFlash
 * `config.config` and `config.proxy`. They must be valid.
 */
export function memberConfigs(spec: TidbClusterSpec, member: Member): Record<string, TomlTable> {
    const { config } = (member.specOf(spec) ?? {}) as { config?: ConfigInput };
    return member.component === "tiflash"
        ? Object.fromEntries(
              Object.entries((config ?? {}) as Record<string, ConfigInput | undefined>).map(([name, one]) => [
                  `config.${name}`,
                  readConfig(one),
              ]),
          )
        : { config: readConfig(config) };
}
