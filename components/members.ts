import { components, type Component } from "../topology/members";
import type { RenderedMember } from "./kubernetes/member";
import type { MemberSpec, RenderOptions } from "./kubernetes/memberDescription";
import { pdManifests } from "./pd/manifests";
import { pdProblems } from "./pd/rules";
import { pdMicroserviceManifests } from "./pdms/manifests";
import { microserviceOf, microservicePath } from "./pdms/microservices";
import type { PdMicroserviceName } from "./pdms/spec";
import type { SpecProblem } from "./problem";
import { pumpManifests } from "./pump/manifests";
import { pumpProblems } from "./pump/rules";
import type { TidbClusterManifest, TidbClusterSpec } from "./spec";
import { ticdcManifests } from "./ticdc/manifests";
import { ticdcProblems } from "./ticdc/rules";
import { writesBinlog } from "./tidb/binlog";
import { tidbManifests } from "./tidb/manifests";
import { tidbProblems } from "./tidb/rules";
import { tiflashManifests } from "./tiflash/manifests";
import { tiflashProblems } from "./tiflash/rules";
import { tikvManifests } from "./tikv/manifests";
import { tikvProblems } from "./tikv/rules";
import { tiproxyManifests } from "./tiproxy/manifests";
import { tiproxyProblems } from "./tiproxy/rules";

/** A member that runs as a StatefulSet: where it is in the spec, how it is checked and how it is rendered. */
export interface Member {
    /** Name of the member in labels and in the names of objects. */
    readonly component: Component;
    /** Type name of its resource. It is part of the URN and must never change. */
    readonly type: string;
    /** Default image, without tag. */
    readonly baseImage: string;
    /** @returns the member's spec; `undefined` if the cluster does not have the member. */
    specOf(spec: TidbClusterSpec): MemberSpec | undefined;
    /** @returns `spec` with another spec for the member. */
    withSpec(spec: TidbClusterSpec, own: MemberSpec): TidbClusterSpec;
    /** @returns the path of the member's spec in a manifest, for messages: `spec.tikv`. */
    pathIn(spec: TidbClusterSpec): string;
    /** Dotted paths in the member's spec that decide which resources exist. They must be plain values, not Outputs. */
    readonly plain: readonly string[];
    /** Dotted paths in the member's spec that are configurations, besides `config`. */
    readonly configs: readonly string[];
    /** @returns whether the member that uses it (`usedBy` in `topology/members.ts`) is configured not to. Default: false. */
    isUnused?(spec: TidbClusterSpec): boolean;
    /** Renders the member. The cluster must have it. */
    render(manifest: TidbClusterManifest, options?: RenderOptions): RenderedMember;
    /** Checks the member's spec. The cluster must have the member. */
    problems(spec: TidbClusterSpec): SpecProblem[];
}

/** A field of the spec that holds the spec of one member. */
type MemberField = Extract<Component, keyof TidbClusterSpec>;

/** All members, by component. The order of a rollout is the order of `components` in `topology/members.ts`. */
export const members: Readonly<Record<Component, Member>> = {
    tso: memberOfList("tso", "PdTso"),
    scheduling: memberOfList("scheduling", "PdScheduling"),
    pd: memberOfField("pd", "Pd", "pingcap/pd", pdManifests, pdProblems, { plain: ["mode"] }),
    tiproxy: memberOfField("tiproxy", "Tiproxy", "pingcap/tiproxy", tiproxyManifests, tiproxyProblems),
    tiflash: memberOfField("tiflash", "Tiflash", "pingcap/tiflash", tiflashManifests, tiflashProblems, {
        plain: ["storageClaims"],
        configs: ["config.proxy"],
    }),
    tikv: memberOfField("tikv", "Tikv", "pingcap/tikv", tikvManifests, tikvProblems),
    pump: memberOfField("pump", "Pump", "pingcap/tidb-binlog", pumpManifests, pumpProblems, {
        isUnused: (spec) => spec.tidb !== undefined && !writesBinlog(spec, spec.tidb),
    }),
    tidb: memberOfField("tidb", "Tidb", "pingcap/tidb", tidbManifests, tidbProblems, {
        plain: ["service", "initializer", "initializer.createPassword"],
    }),
    ticdc: memberOfField("ticdc", "Ticdc", "pingcap/ticdc", ticdcManifests, ticdcProblems, { plain: ["config"] }),
};

/** @returns the members of a cluster, in the order of a rollout. */
export function membersOf(spec: TidbClusterSpec): Member[] {
    return components.map((component) => members[component]).filter((member) => member.specOf(spec) !== undefined);
}

function memberOfField<Field extends MemberField>(
    field: Field,
    type: string,
    baseImage: string,
    render: Member["render"],
    problems: (own: NonNullable<TidbClusterSpec[Field]>, spec: TidbClusterSpec) => SpecProblem[],
    { plain = [], configs = [], isUnused }: Partial<Pick<Member, "plain" | "configs" | "isUnused">> = {},
): Member {
    return {
        component: field,
        type,
        baseImage,
        specOf: (spec) => spec[field],
        withSpec: (spec, own) => ({ ...spec, [field]: own }),
        pathIn: () => `spec.${field}`,
        plain,
        configs,
        isUnused,
        render,
        problems: (spec) => {
            const own = spec[field];
            return own === undefined ? [] : problems(own, spec);
        },
    };
}

/** A member in the list `spec.pdms`. */
function memberOfList(name: PdMicroserviceName, type: string): Member {
    return {
        component: name,
        type,
        baseImage: "pingcap/pd",
        specOf: (spec) => microserviceOf(spec, name),
        withSpec: (spec, own) => ({
            ...spec,
            pdms: spec.pdms?.map((service) => (service.name === name ? { ...service, ...own } : service)),
        }),
        pathIn: (spec) => microservicePath(spec, name),
        plain: [],
        configs: [],
        render: (manifest) => pdMicroserviceManifests(manifest, name),
        // `pdMicroserviceProblems` checks the whole list.
        problems: () => [],
    };
}
