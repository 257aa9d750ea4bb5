import type { Arena } from "./arena";

/**
 * Cordons all nodes until the callback ends, in success or failure. A dead PD member's pod that joins PD before its replacement is
 * added needs none: meanwhile no node takes it.
 */
export async function whileNoNodeTakesPods<T>({ kubernetes }: Arena, callback: () => Promise<T>): Promise<T> {
    const names = (await kubernetes.nodes()).map(({ metadata }) => metadata?.name ?? "");
    const cordon = (is: boolean) => Promise.all(names.map((name) => kubernetes.cordon(name, is)));
    try {
        await cordon(true);
        return await callback();
    } finally {
        await cordon(false);
    }
}
