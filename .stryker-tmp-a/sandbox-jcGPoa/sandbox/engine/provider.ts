import { PropertyMap } from "./values";

/** What the engine asks of whoever manages a resource. Inputs and outputs are in clear unless said otherwise. */
export interface Provider {
    /** `olds`: the inputs in the state, absent for a new resource. */
    check(request: { urn: string; type: string; olds?: PropertyMap; news: PropertyMap }): Promise<CheckAnswer>;
    diff(request: {
        urn: string;
        type: string;
        id: string;
        oldInputs: PropertyMap;
        oldOutputs: PropertyMap;
        news: PropertyMap;
        ignoreChanges: string[];
    }): Promise<DiffAnswer>;
    create(request: { urn: string; type: string; inputs: PropertyMap; preview: boolean }): Promise<CreateAnswer>;
    update(request: {
        urn: string;
        type: string;
        id: string;
        oldInputs: PropertyMap;
        oldOutputs: PropertyMap;
        news: PropertyMap;
        ignoreChanges: string[];
        preview: boolean;
    }): Promise<{ outputs: PropertyMap }>;
    delete(request: {
        urn: string;
        type: string;
        id: string;
        inputs: PropertyMap;
        outputs: PropertyMap;
    }): Promise<void>;
    /** Undefined when it is gone. */
    read(request: {
        urn: string;
        type: string;
        id: string;
        inputs: PropertyMap;
        outputs: PropertyMap;
    }): Promise<{ id: string; inputs: PropertyMap; outputs: PropertyMap } | undefined>;
    /** Ends it; resolves when all that it printed has been passed on. */
    stop?(): Promise<void>;
}

export interface CheckAnswer {
    inputs: PropertyMap;
    failures: { property: string; reason: string }[];
}

export interface DiffAnswer {
    /** `unknown`: the engine compares the inputs itself. */
    changes: "none" | "some" | "unknown";
    replaces: string[];
    deleteBeforeReplace: boolean;
}

export interface CreateAnswer {
    /** Absent in a preview. */
    id?: string;
    outputs: PropertyMap;
}

/** The resource was made or changed but is not as it should be: it is in the state, and the step has failed. */
export class PartialFailure extends Error {
    constructor(
        message: string,
        readonly id: string,
        readonly outputs: PropertyMap,
        readonly reasons: string[],
    ) {
        super(message);
    }
}
