import { Provider } from "../provider";
import { PropertyMap } from "../values";
export interface KubernetesProviderContext {
    environment: NodeJS.ProcessEnv;
    config: Record<string, string>;
    folder: string;
    status(urn: string, m: string): void;
    warn(urn: string, m: string): void;
}
export function kubernetesProvider(_inputs: PropertyMap, _context: KubernetesProviderContext): Provider {
    throw new Error("soon");
}
export function kubernetesCluster(_inputs: PropertyMap, _folder: string): string | undefined {
    return undefined;
}
