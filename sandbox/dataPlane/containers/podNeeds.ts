import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import { ContainerConfigError, environmentOf, sourcesOf, type Texts } from "./environment";
import type { PodObjects } from "./podObjects";
import { makeVolumes, MountError } from "./volumes";

const retryMilliseconds = 300;

/**
 * Returns the variables of a container, once all that they come from exists.
 * @param waits reports why they are not there yet, and returns whether to try again. If not, undefined is returned.
 */
export async function variablesOf(
    container: k8s.V1Container,
    pod: k8s.V1Pod,
    objects: PodObjects,
    waits: (message: string) => Promise<boolean>,
): Promise<Record<string, string> | undefined> {
    const namespace = pod.metadata?.namespace ?? "";
    const needed = sourcesOf(container);
    const read = async (names: string[], from: PodObjects["secret"]): Promise<Map<string, Texts | undefined>> =>
        new Map(await Promise.all(names.map(async (name) => [name, inText(await from(namespace, name))] as const)));
    for (;;) {
        try {
            const secrets = await read(needed.secrets, objects.secret);
            const configMaps = await read(needed.configMaps, objects.configMap);
            return environmentOf(container, pod, { secrets, configMaps });
        } catch (error) {
            if (!(error instanceof ContainerConfigError)) {
                throw error;
            }
            if (!(await waits(error.message))) {
                return undefined;
            }
            await sleep(retryMilliseconds);
        }
    }
}

/**
 * Returns the folders of a pod's volumes, once all that they come from exists.
 * @param folder contains those that go with the pod.
 * @param waits reports that they are not there yet, and returns whether to try again. If not, undefined is returned.
 */
export async function volumesOf(
    pod: k8s.V1Pod,
    folder: string,
    objects: PodObjects,
    log: (line: string) => void,
    waits: () => Promise<boolean>,
): Promise<Map<string, string> | undefined> {
    for (let said = ""; ;) {
        try {
            return await makeVolumes(pod, folder, objects);
        } catch (error) {
            if (!(error instanceof MountError)) {
                throw error;
            }
            if (error.message !== said) {
                said = error.message;
                log(`pod ${pod.metadata?.name} waits for its volumes: ${said}`);
            }
            if (!(await waits())) {
                return undefined;
            }
            await sleep(retryMilliseconds);
        }
    }
}

function inText(data: Readonly<Record<string, Buffer>> | undefined): Texts | undefined {
    return data && Object.fromEntries(Object.entries(data).map(([key, value]) => [key, value.toString()]));
}
