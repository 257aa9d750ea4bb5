import type { ImagePullPolicy, LogTailerSpec } from "../componentSpec";
import type { Container, VolumeMount } from "./pod";
import { present } from "./present";
import { containerResources } from "./resources";

/** Which file a sidecar shows. */
export interface TailedFile {
    /** Name of the sidecar. */
    readonly container: string;
    /** The volume that the file is in, and where the sidecar sees it. */
    readonly mount: VolumeMount;
    /** Name of the file in that volume. */
    readonly file: string;
}

/** A sidecar that copies a log file of the member to its standard output, so that it is collected as a log. */
export function logTailer(
    tailed: TailedFile,
    helper: { image: string; imagePullPolicy: ImagePullPolicy },
    spec: LogTailerSpec | undefined,
): Container {
    const path = `${tailed.mount.mountPath.replace(/\/+$/, "")}/${tailed.file}`;
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
