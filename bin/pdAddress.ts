import { type Command, InvalidArgumentError } from "commander";

/** Adds the option for PD's addresses. */
export function addPdAddressOption(command: Command): Command {
    return command.option(
        "--pd-address <urls>",
        "addresses of PD: the program's `pd.address` (default: a port-forward through the API server)",
        pdAddress,
    );
}

/** Checks `--pd-address`, so that a misspelled address is an error and not a PD that does not answer. */
function pdAddress(text: string): string {
    const wrong = text.split(",").find((address) => !/^https?:\/\/[^\s/]+\/?$/.test(address.trim()));
    if (wrong !== undefined) {
        throw new InvalidArgumentError(`found "${wrong}", expected http://host:port or https://host:port`);
    }
    return text;
}
