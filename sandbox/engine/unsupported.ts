import type * as messages from "@pulumi/pulumi/proto/resource_pb";

/** An error about something that only the real CLI can do. */
export function unsupported(what: string): Error {
    return new Error(`the sandbox's engine does not support ${what}; leave it out, or use the Pulumi CLI`);
}

/**
 * Refuses a resource with options that the engine would have to ignore. Hooks, transforms and `replaceWith` are refused by the SDK,
 * because the engine does not list them among its features.
 * @throws an error that names the resource and the option
 */
export function refuseUnsupported(request: messages.RegisterResourceRequest): void {
    const resource = `${request.getType()} ${request.getName()}`;
    const found: [boolean, string][] = [
        [request.getRemote(), `the remote component ${resource}, which a plugin would create`],
        [request.getImportid() !== "", `the option import of ${resource}`],
        [hasTimeouts(request), `the option customTimeouts of ${resource}`],
        [request.hasReplacementTrigger(), `the option replacementTrigger of ${resource}`],
    ];
    const first = found.find(([present]) => present);
    if (first !== undefined) {
        throw unsupported(first[1]);
    }
}

/** The SDK always sends the message, which is empty if the program sets no timeouts. */
function hasTimeouts(request: messages.RegisterResourceRequest): boolean {
    const timeouts = request.getCustomtimeouts();
    return [timeouts?.getCreate(), timeouts?.getUpdate(), timeouts?.getDelete()].some((text) => Boolean(text));
}
