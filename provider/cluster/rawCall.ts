import type { Configuration, KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type * as kubernetesClient from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { sendToApi } from "./apiClient";

/** What a request has besides its path. */
interface RawRequest {
    /** Default: JSON. */
    readonly accept?: string;
    readonly query?: object;
    readonly body?: unknown;
    /** The type of the body. Default: JSON. */
    readonly contentType?: string;
}

/**
 * A request with the client's own connection, credentials and errors, whose answer is not converted. The client's types keep only the fields
 * that its version knows.
 */
export type RawCall = (
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    request?: RawRequest,
) => Promise<Buffer>;

/** @param assertAllowed throws if nothing may be changed any more. */
export function rawCall(
    client: typeof kubernetesClient,
    { baseServer }: Pick<Configuration, "baseServer">,
    authentication: Pick<KubeConfig, "applySecurityAuthentication">,
    assertAllowed?: () => void,
): RawCall {
    return async (method, path, { accept = "application/json", query = {}, body, contentType } = {}) => {
        const request = baseServer.makeRequestContext(path, client.HttpMethod[method]);
        request.setHeaderParam("Accept", accept);
        Object.entries(query).forEach(([name, value]) => request.setQueryParam(name, String(value)));
        if (body !== undefined) {
            request.setHeaderParam("Content-Type", contentType ?? "application/json");
            request.setBody(JSON.stringify(body));
        }
        await authentication.applySecurityAuthentication(request);
        const answer = await sendToApi(request, assertAllowed);
        if (answer.status >= 300) {
            throw new client.ApiException(answer.status, "the request was refused", answer.body.toString("utf8"), {});
        }
        return answer.body;
    };
}
