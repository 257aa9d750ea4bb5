/** Whether so many members of `all` are a majority: with it PD and its etcd work. */
export function isQuorum(alive: number, all: number): boolean {
    return alive * 2 > all;
}
