import type { ImagePullPolicy, LogTailerSpec } from "../componentSpec";
import type { Container, VolumeMount } from "./pod";
import { present } from "./present";
import { containerResources } from "./resources";
import { literalInPod, shellWord } from "./shellQuote";

/** The file that a sidecar prints. */
export interface TailedFile {
    /** Name of the sidecar. */
    readonly container: string;
    /** Mount of the volume that contains the file. */
    readonly mount: VolumeMount;
    /** Path of the file in that volume. */
    readonly file: string;
}

/** Renders a sidecar that copies a log file of the member to its standard output, where it is collected as a log. */
export function logTailer(
    tailed: TailedFile,
    helper: { image: string; imagePullPolicy: ImagePullPolicy },
    spec: LogTailerSpec | undefined,
): Container {
    const path = literalInPod(shellWord(`${tailed.mount.mountPath.replace(/\/+$/, "")}/${tailed.file}`));
    return {
        name: tailed.container,
        image: helper.image,
        imagePullPolicy: helper.imagePullPolicy,
        command: ["sh", "-c", `touch ${path}; tail -n0 -F ${path};`],
        resources: containerResources(spec),
        ...present({ securityContext: spec?.securityContext }),
        volumeMounts: [tailed.mount],
    };
}
