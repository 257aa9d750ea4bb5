import { InvalidArgumentError } from "commander";

/** Checks `--pd-address`, so that a misspelled address is an error and not a PD that does not answer. */
export function pdAddress(text: string): string {
    const wrong = text.split(",").find((address) => !/^https?:\/\/[^\s/]+\/?$/.test(address.trim()));
    if (wrong !== undefined) {
        throw new InvalidArgumentError(`found "${wrong}", expected http://host:port or https://host:port`);
    }
    return text;
}
