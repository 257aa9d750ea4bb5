import type { KubernetesFields } from "../../../components/kubernetes/pod";

/** Reads TOML. */
export type ParseToml = (text: string) => KubernetesFields;

/** The TOML library's own reader, so that what is tested does not test itself. */
export async function tomlParser(): Promise<ParseToml> {
    const { parse } = await import("smol-toml");
    // As plain maps, which the library's are not.
    return (text) => JSON.parse(JSON.stringify(parse(text))) as KubernetesFields;
}
