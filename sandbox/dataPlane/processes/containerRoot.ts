/** A file or a folder of this machine, and where a container has it. */
export interface Mount {
    file: string;
    mountPath: string;
    readOnly: boolean;
}

/** The files that a container sees. */
export interface ContainerRoot {
    /** An empty folder, on which the root is mounted. Only the container's processes see what is there. */
    folder: string;
    /** The file that becomes `/etc/hosts`. */
    hosts: string;
    hostname: string;
    /** The loopback address on which its servers listen. */
    address: string;
    mounts: readonly Mount[];
    /** The program of the image: the file that start scripts run, and the program of this machine that it runs. */
    program?: { at: string; file: string; listens: readonly string[] };
    /** The file that runs `node`. */
    node: string;
    workingFolder?: string;
}

/** Where the container has the program that its shim runs. */
const realProgram = "/sandbox/program";
const openFiles = 1_048_576;
/** The file that a server in Node.js loads first. */
export const nodeListensFile = "/sandbox/listen.cjs";
/** Look-ups that ask a DNS server, which a sandbox has not. Start scripts then use getent, which reads `/etc/hosts`. */
const dnsTools = ["nslookup", "dig", "host"];

/**
 * Returns a script, for a process with its own mount and process namespaces, that makes a container's root of this machine's `/usr` and of the
 * container's mounts, and then runs the command in its arguments there. It changes nothing outside of the namespace.
 */
export function rootScript(root: ContainerRoot): string {
    const { program } = root;
    // A mount under another one comes after it.
    const mounts = [...root.mounts].sort((a, b) => a.mountPath.length - b.mountPath.length);
    return [
        "set -e",
        // The first process of a container gets SIGTERM only if it handles it.
        "trap 'exit 143' TERM",
        `root=${word(root.folder)}`,
        'mount -t tmpfs -o mode=755 tmpfs "$root"',
        'cd "$root"',
        readOnlyFunction,
        "mkdir -p usr etc proc dev sys tmp var/lib var/log run root bin sandbox",
        "chmod 1777 tmp",
        "ln -s ../run var/run",
        "mount --rbind /usr usr",
        "read_only usr all",
        // Images have their own start scripts here, and mounts need a place that can be written to.
        "mount -t tmpfs tmpfs usr/local/bin",
        "for folder in sbin lib lib32 lib64 libx32; do",
        '    if [ -L "/$folder" ]; then ln -s "$(readlink "/$folder")" "$folder"; fi',
        "done",
        "ln -s /usr/bin/* bin/",
        `for tool in ${dnsTools.join(" ")}; do`,
        '    if [ -e "usr/bin/$tool" ]; then mount --bind /dev/null "usr/bin/$tool"; fi',
        "done",
        "mount -t proc proc proc 2>/dev/null || mount --rbind /proc proc",
        "mount --bind proc/sys proc/sys",
        "mount --rbind /sys sys",
        "read_only proc/sys all",
        "read_only sys all",
        `for device in ${devices.join(" ")}; do : >"dev/$device"; mount --bind "/dev/$device" "dev/$device"; done`,
        "mkdir -m 1777 dev/shm",
        "ln -s /proc/self/fd dev/fd",
        'for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "dev/${number#*:}"; done',
        "cp -rL /etc/passwd /etc/group /etc/ssl /etc/alternatives /etc/ld.so.cache etc/ 2>/dev/null || true",
        "printf 'passwd: files\\ngroup: files\\nhosts: files\\n' >etc/nsswitch.conf",
        `printf '%s\\n' ${word(root.hostname)} >etc/hostname`,
        ...bind({ file: root.hosts, mountPath: "/etc/hosts", readOnly: true }),
        ...bind({ file: root.node, mountPath: "/usr/local/bin/node", readOnly: true }),
        `printf '%s' ${word(nodeListens(root.address))} >.${nodeListensFile}`,
        ...(program === undefined
            ? []
            : [
                  ...bind({ file: program.file, mountPath: realProgram, readOnly: true }),
                  `mkdir -p .${word(program.at.replace(/[^/]*$/, ""))}`,
                  `printf '%s' ${word(listenShim(root.address, program.listens))} >.${word(program.at)}`,
                  `chmod 755 .${word(program.at)}`,
              ]),
        ...mounts.flatMap(bind),
        // A container runtime's limit. TiKV wants 124,000; only some users may raise that of a machine.
        `ulimit -n ${openFiles} 2>/dev/null || ulimit -n "$(ulimit -Hn)"`,
        ": >sandbox/stands",
        root.workingFolder === undefined
            ? `exec chroot "$root" ${withFewRights} "$@"`
            : `exec chroot "$root" ${withFewRights} sh -c 'cd "$0" && exec "$@"' ${word(root.workingFolder)} "$@"`,
    ].join("\n");
}

/** The capabilities that containers have (runc's, less those to make devices and to change the root). */
const capabilities = [
    "chown",
    "dac_override",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "net_bind_service",
    "setfcap",
];
const withFewRights = `setpriv --inh-caps=-all --bounding-set=-all,${capabilities.map((one) => `+${one}`).join(",")} --`;

const devices = ["null", "zero", "full", "random", "urandom", "tty"];

/**
 * A function of the shell that makes a mount read-only, with `all` also those below it, with the flags that they have: in a user namespace those must
 * stay. One that cannot be is hidden.
 */
const readOnlyFunction = `
read_only() {
    escaped=$(printf '%s' "$root" | sed 's/ /\\\\040/g')
    grep -F " $escaped/$1" /proc/self/mountinfo | while read -r _ _ _ _ at options _; do
        case $at$2 in "$escaped/$1$2" | "$escaped/$1"/*all) ;; *) continue ;; esac
        at=.\${at#"$escaped"}
        options=$(printf '%s' "$options" | sed 's/^rw/ro/')
        mount -o "remount,bind,$options" "$at" 2>/dev/null || mount -t tmpfs -o ro tmpfs "$at"
    done
}`;

/**
 * A script, for a process in the namespaces of a container, that runs the command in its arguments in the root in its first, once that stands:
 * until then, this machine's files are there.
 */
export const enterScript = `until [ -e "$0/sandbox/stands" ]; do sleep 0.1; done; exec chroot "$0" ${withFewRights} "$@"`;

function bind({ file, mountPath, readOnly }: Mount): string[] {
    const [from, to] = [word(file), `.${word(mountPath)}`];
    return [
        `if [ -d ${from} ]; then mkdir -p ${to}; else mkdir -p "$(dirname ${to})"; : >>${to}; fi`,
        `mount --bind ${from} ${to}`,
        ...(readOnly ? [`read_only ${word(mountPath.replace(/^\/+/, ""))}`] : []),
    ];
}

/**
 * Returns the script that stands at the program's path in a container. The pods of a sandbox share the addresses of this machine, so a program
 * that would listen on all of them listens on its pod's.
 * @param more arguments that the program gets too.
 */
export function listenShim(address: string, more: readonly string[]): string {
    return [
        "#!/bin/sh",
        "for argument do",
        "    shift",
        "    case $argument in",
        `    *0.0.0.0*) argument=$(printf '%s' "$argument" | sed -E 's#(^|[^0-9.])0\\.0\\.0\\.0($|[^0-9./])#\\1${address}\\2#g') ;;`,
        "    esac",
        '    set -- "$@" "$argument"',
        "done",
        `exec ${realProgram} "$@"${more.map((one) => ` ${word(one)}`).join("")}`,
        "",
    ].join("\n");
}

/** Returns what a server in Node.js loads first. It then listens as the others do. */
function nodeListens(address: string): string {
    return [
        'const { Server } = require("node:net");',
        "const { listen } = Server.prototype;",
        "Server.prototype.listen = function (port, ...rest) {",
        `    const host = typeof port === "number" ? [${JSON.stringify(address)}] : [];`,
        "    return listen.call(this, port, ...host, ...rest);",
        "};",
        "",
    ].join("\n");
}

function word(text: string): string {
    return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
