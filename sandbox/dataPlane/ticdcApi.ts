import type { ListenerAnswer } from "./listener";
import { captureId, captureOwner, capturesOf, drainCapture, resignCaptureOwner } from "./model/captures";
import type { ClusterState } from "./model/cluster";

/** Answers for the TiCDC in a pod. Serves only the API calls that gates make (pingcap/tiflow cdc/api/v1). */
export function ticdcAnswer(state: ClusterState, pod: string, method: string, url: URL, body: string): ListenerAnswer {
    const own = capturesOf(state).find(({ name }) => name === pod);
    if (own === undefined) {
        return "refused";
    }
    const isOwner = captureOwner(state) === pod;
    switch (`${method} ${url.pathname}`) {
        case "GET /status":
            return json({ version: own.version, git_hash: "None", id: captureId(own), pid: 1, is_owner: isOwner });
        case "GET /api/v1/health":
            return json({});
        case "GET /api/v1/captures":
            return json(
                capturesOf(state).map((capture) => ({
                    id: captureId(capture),
                    is_owner: captureOwner(state) === capture.name,
                    address: `${capture.name}.${state.name}-ticdc-peer.${state.namespace}.svc:8301`,
                })),
            );
        case "POST /api/v1/owner/resign":
            if (isOwner) {
                resignCaptureOwner(state);
            }
            return json({}, 202);
        case "PUT /api/v1/captures/drain": {
            const { capture_id: id } = JSON.parse(body) as { capture_id?: string };
            const target = capturesOf(state).find((capture) => captureId(capture) === id);
            if (target === undefined) {
                return json({ error_msg: "capture not exists", error_code: "CDC:ErrCaptureNotExist" }, 400);
            }
            return captureOwner(state) === target.name
                ? json({ error_msg: "cannot drain the owner", error_code: "CDC:ErrSchedulerRequestFailed" }, 400)
                : json({ current_table_count: drainCapture(state, target.name) }, 202);
        }
        default:
            return { status: 404, contentType: "text/plain", body: "404 page not found" };
    }
}

function json(value: unknown, status = 200): ListenerAnswer {
    return { status, contentType: "application/json; charset=utf-8", body: JSON.stringify(value) };
}
