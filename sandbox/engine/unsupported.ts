import type * as messages from "@pulumi/pulumi/proto/resource_pb";

/** An error about something that only the real CLI can do. @param instead what to do without it. Default: leave it out. */
export function unsupported(what: string, instead = "leave it out"): Error {
    return new Error(`the sandbox's engine does not support ${what}; ${instead}, or use the Pulumi CLI`);
}

/** Features that the SDK is given, because its own refusal would advise to update a CLI that is not there. They are refused by name. */
export const refusedFeatures = ["transforms"] as const;

/**
 * Refuses a resource with options that the engine would have to ignore. Hooks and `replaceWith` are refused by the SDK, because the
 * engine does not list them among its features.
 * @throws an error that names the resource and the option
 */
export function refuseUnsupported(request: messages.RegisterResourceRequest): void {
    const resource = `${request.getType()} ${request.getName()}`;
    const found: [isAsked: boolean, what: string, instead?: string][] = [
        [
            request.getTransformsList().length > 0,
            `the option transforms of ${resource}`,
            "use the option transformations",
        ],
        [request.getRemote(), `the remote component ${resource}, which a plugin would create`],
        [request.getImportid() !== "", `the option import of ${resource}`],
        [hasTimeouts(request), `the option customTimeouts of ${resource}`],
        [request.hasReplacementTrigger(), `the option replacementTrigger of ${resource}`],
    ];
    const first = found.find(([present]) => present);
    if (first !== undefined) {
        throw unsupported(first[1], first[2]);
    }
}

/** The SDK always sends the message, which is empty if the program sets no timeouts. */
function hasTimeouts(request: messages.RegisterResourceRequest): boolean {
    const timeouts = request.getCustomtimeouts();
    return [timeouts?.getCreate(), timeouts?.getUpdate(), timeouts?.getDelete()].some((text) => Boolean(text));
}
