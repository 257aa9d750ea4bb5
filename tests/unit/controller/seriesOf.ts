/** What Prometheus is told of a metric: its value by the labels besides those of the cluster, such as `kind="sweep"`. */
export function seriesOf(text: string, name: string): Record<string, number> {
    const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`));
    return Object.fromEntries(
        lines.map((line) => {
            const [labels, value] = line.slice(name.length + 1).split("} ");
            return [labels.replace(/^namespace="tidb",cluster="basic",?/, ""), Number(value)];
        }),
    );
}
