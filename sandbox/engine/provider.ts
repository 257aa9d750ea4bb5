import { type PropertyMap } from "./values";

/** What the engine asks of whoever manages a resource. Inputs and outputs are in clear unless said otherwise. */
export interface Provider {
    /** The inputs as they are to be kept, and what is wrong with them. `olds`: those in the state, absent for a new resource. */
    check(request: { urn: string; type: string; olds?: PropertyMap; news: PropertyMap }): Promise<CheckAnswer>;
    /** Tells whether new inputs mean a change, and whether that replaces the resource. */
    diff(request: {
        urn: string;
        type: string;
        id: string;
        oldInputs: PropertyMap;
        oldOutputs: PropertyMap;
        news: PropertyMap;
        ignoreChanges: string[];
    }): Promise<DiffAnswer>;
    /** Makes the resource; in a preview, tells what it would come to. @throws PartialFailure when it is made but not ready */
    create(request: { urn: string; type: string; inputs: PropertyMap; preview: boolean }): Promise<CreateAnswer>;
    /** Changes the resource in place; in a preview, tells what it would come to. @throws PartialFailure likewise */
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
    /** Deletes the resource; one that is gone is no error. */
    delete(request: {
        urn: string;
        type: string;
        id: string;
        inputs: PropertyMap;
        outputs: PropertyMap;
    }): Promise<void>;
    /** The resource as it is now; undefined when it is gone. */
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

/** What a provider makes of a program's inputs. */
export interface CheckAnswer {
    inputs: PropertyMap;
    /** What is wrong, by property; the resource is not registered then. */
    failures: { property: string; reason: string }[];
}

/** What a provider says of a change. */
export interface DiffAnswer {
    /** `unknown`: the engine compares the inputs itself. */
    changes: "none" | "some" | "unknown";
    /** The properties that force a replacement; none: it is changed in place. */
    replaces: string[];
    /** The new resource cannot be beside the old one. */
    deleteBeforeReplace: boolean;
}

/** What came of a creation. */
export interface CreateAnswer {
    /** Absent in a preview. */
    id?: string;
    outputs: PropertyMap;
}

/** The resource was made or changed but is not as it should be: it is in the state, and the step has failed. */
export class PartialFailure extends Error {
    /** @param reasons what is missing, kept in the state as `initErrors` */
    constructor(
        message: string,
        readonly id: string,
        readonly outputs: PropertyMap,
        readonly reasons: string[],
    ) {
        super(message);
    }
}
