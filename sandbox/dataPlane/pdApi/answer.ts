import { memberFault } from "../faults";
import { advance } from "../model/advance";
import type { ClusterState } from "../model/cluster";
import { leaderOf, memberOfPod } from "../model/members";
import {
    notBootstrapped,
    pageNotFound,
    type PdAnswer,
    type PdRequest,
    type PdRoute,
    redirectFailed,
    text,
} from "./call";
import { configRoutes } from "./configCalls";
import { etcdRoutes } from "./etcdCalls";
import { memberRoutes } from "./memberCalls";
import { metricsRoutes } from "./metricsCalls";
import { microserviceRoutes } from "./microserviceCalls";
import { recoveryRoutes } from "./recoveryCalls";
import { regionRoutes } from "./regionCalls";
import { schedulerRoutes } from "./schedulerCalls";
import { storeRoutes } from "./storeCalls";
import { tableRoutes } from "./tableCalls";

const routes: PdRoute[] = [
    ...memberRoutes,
    ...metricsRoutes,
    ...microserviceRoutes,
    ...etcdRoutes,
    ...storeRoutes,
    ...schedulerRoutes,
    ...configRoutes,
    ...regionRoutes,
    ...recoveryRoutes,
    ...tableRoutes,
];

/**
 * Returns the answer of the PD member in a pod at `now`: `refused` if no member runs there, `nothing` if a fault
 * withholds the answer for ever. A follower answers like the leader, to which a real follower forwards the call.
 */
export function answerPd(state: ClusterState, request: PdRequest, now: number): PdAnswer | "refused" | "nothing" {
    advance(state, now);
    const { pod } = request;
    const answer = answerCall(state, pod, request);
    const query = request.query.toString();
    state.pdCalls.push({
        at: state.now,
        pod,
        method: request.method,
        path: query === "" ? request.path : `${request.path}?${query}`,
        status: typeof answer === "string" ? undefined : answer.status,
    });
    return answer;
}

function answerCall(state: ClusterState, pod: string, request: PdRequest): PdAnswer | "refused" | "nothing" {
    const { answers } = memberFault(state.faults, pod);
    if (answers === "nothing" || answers === "refused") {
        return answers;
    }
    if (memberOfPod(state, pod) === undefined) {
        return "refused";
    }
    if (answers === "error") {
        return redirectFailed;
    }
    if (answers === "html") {
        return text("<!DOCTYPE html><html><body>Sign in</body></html>", 200, "text/html; charset=utf-8");
    }
    const answer = answerMember(state, request);
    return answers === "truncated" ? { ...answer, body: answer.body.slice(0, answer.body.length / 2) } : answer;
}

function answerMember(state: ClusterState, request: PdRequest): PdAnswer {
    if (request.method === "GET" && request.path === "/pd/api/v2/ready") {
        return { status: 200, contentType: undefined, body: "" };
    }
    const route = routes.find((one) => one.method === request.method && one.pattern.test(request.path));
    if (route === undefined) {
        return pageNotFound;
    }
    if (leaderOf(state) === undefined && !route.byMember) {
        return redirectFailed;
    }
    if (route.needsStores && state.stores.length === 0) {
        return notBootstrapped;
    }
    const parameters = (route.pattern.exec(request.path) ?? []).slice(1).map(decodeURIComponent);
    return route.handle(state, request, ...parameters);
}
