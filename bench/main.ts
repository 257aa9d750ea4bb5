import { Command, Option } from "commander";
import { type Figure, figureTable, isMissed } from "./figure";
import { importTime } from "./importTime";
import { observationTime } from "./observationTime";
import { planTime } from "./planTime";
import { providerMemory } from "./providerMemory";
import { unchangedUp } from "./unchangedUp";

/** The measurements, by their name for `--only`. */
const measurements: Record<string, (quick: boolean, log: (line: string) => void) => Figure[] | Promise<Figure[]>> = {
    import: (quick) => importTime(quick ? 5 : 15),
    plan: (quick) => planTime(quick ? 5 : 15),
    observe: (quick) => observationTime(quick ? 5 : 15),
    memory: () => providerMemory(),
    unchanged: (quick, log) => unchangedUp(quick ? 3 : 7, log),
};

async function main(): Promise<void> {
    const names = Object.keys(measurements);
    const command = new Command("bench")
        .description("Measures this package against its targets")
        .option("--quick", "fewer repetitions", false)
        .addOption(new Option("--only <names...>", "measurements to run").choices(names).default(names))
        .parse();
    const { quick, only } = command.opts<{ quick: boolean; only: string[] }>();
    const log = (line: string): void =>
        console.error(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}`);
    const figures: Figure[] = [];
    for (const name of only) {
        log(name);
        figures.push(...(await measurements[name](quick, log)));
    }
    const missed = figures.filter(isMissed);
    console.log(figureTable(figures));
    console.log(`\n${figures.length - missed.length} met, ${missed.length} missed`);
    process.exitCode = missed.length > 0 ? 1 : 0;
}

void main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
});
