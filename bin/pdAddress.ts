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

/** Adds the option that names the TidbCluster whose PD a cluster joins. */
export function addPdClusterOption(command: Command): Command {
    return command.option(
        "--pd-cluster <name>",
        "cluster whose PD this one joins, as NAME or NAMESPACE/NAME (default: as its Discovery says)",
        tidbCluster,
    );
}

function tidbCluster(text: string): string {
    if (!/^([a-z0-9-]+\/)?[a-z0-9-]+$/.test(text)) {
        throw new InvalidArgumentError(`found "${text}", expected NAME or NAMESPACE/NAME of a TidbCluster`);
    }
    return text;
}
