import type { WireServiceMember } from "pulumi-tidb/provider/pd/wire";
import type { Microservice } from "../model/events";
import { primaryOf, serverAddress, serversOf } from "../model/microservices";
import { json, type PdRoute } from "./call";

/** Calls about PD's microservices. */
export const microserviceRoutes: PdRoute[] = [
    {
        method: "GET",
        pattern: /^\/pd\/api\/v2\/ms\/members\/([^/]+)$/,
        handle: (state, _request, service) => {
            const servers = serversOf(state, service as Microservice).map((pod): WireServiceMember => ({
                name: pod.name,
                "service-addr": serverAddress(state, pod),
                version: pod.version,
                "git-hash": "None",
                "deploy-path": "/",
                "start-timestamp": Math.floor((pod.runningSince ?? 0) / 1000),
            }));
            return servers.length === 0 ? json("no members found", 404) : json(servers);
        },
    },
    {
        method: "GET",
        pattern: /^\/pd\/api\/v2\/ms\/primary\/([^/]+)$/,
        handle: (state, _request, service) => {
            const primary = primaryOf(state, service as Microservice);
            return primary === undefined ? json("no primary found", 404) : json(serverAddress(state, primary));
        },
    },
];
