# Completion of trnsim for bash: source <(trnsim completion bash), in a clone source <(./trnsim completion bash).
# shellcheck shell=bash
_trnsim() {
    local line=${COMP_LINE:0:COMP_POINT} kept='' answer words
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=('')
    local current=${words[-1]}
    [[ $current != *=* ]] || kept=${current%"${current##*=}"} # bash replaces what follows the last =
    COMPREPLY=()
    while IFS=$'\t' read -r answer _; do
        case $answer in
            :files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${current#"$kept"}") ;;
            *) COMPREPLY+=("${answer#"$kept"}") ;;
        esac
    done < <("${words[0]/#\~/$HOME}" completion answer "${words[@]/#/=}" 2>/dev/null)
    [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null || true
}
complete -o filenames -F _trnsim trnsim
