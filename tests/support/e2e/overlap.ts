/** One test: its title, and what it does. */
export type Scenario = readonly [title: string, run: () => Promise<void>];

type Result = { readonly error: unknown } | { readonly ended: true };

/**
 * Defines one test for each scenario. The scenarios run side by side, because each of them mostly waits, and each test
 * reports the result of its own scenario. They must not share a namespace. All run even if only some tests are selected.
 * @param width how many run at the same time
 */
export function overlapping(width: number, scenarios: readonly Scenario[]): void {
    let results: Promise<Result>[] | undefined;
    for (const [index, [title]] of scenarios.entries()) {
        it(title, async () => {
            results ??= beginAll(width, scenarios);
            const result = await results[index];
            if ("error" in result) {
                throw result.error;
            }
        });
    }
    // The sandbox must not end under a scenario whose test has timed out.
    after(async () => {
        await Promise.all(results ?? []);
    });
}

/** Each scenario begins when the one `width` places before it has ended. */
function beginAll(width: number, scenarios: readonly Scenario[]): Promise<Result>[] {
    const results: Promise<Result>[] = [];
    for (const [index, [, run]] of scenarios.entries()) {
        const earlier = results[index - width] ?? Promise.resolve();
        results.push(earlier.then(() => settled(run)));
    }
    return results;
}

/** Keeps a failure until the scenario's own test asks for it. */
async function settled(run: () => Promise<void>): Promise<Result> {
    try {
        await run();
        return { ended: true };
    } catch (error) {
        return { error };
    }
}
