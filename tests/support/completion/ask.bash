# Prints what bash offers after each line. A line is split at spaces and equals signs, as bash does it.
source <(pulumi-tidb completion bash)
[ "$(complete -p pulumi-tidb)" = "complete -F _pulumi_tidb pulumi-tidb" ] || exit 1
for line in "$@"; do
    line="${line//=/ = }"
    read -r -a COMP_WORDS <<<"$line"
    case "$line" in *" ") [[ "$line" == *"= " ]] || COMP_WORDS+=("") ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _pulumi_tidb
    if [ ${#COMPREPLY[@]} -gt 0 ]; then printf '%s\n' "${COMPREPLY[@]}"; fi
    echo end
done
