# Completion of trnsim for bash: source <(trnsim completion bash), in a clone source <(./trnsim completion bash).
# shellcheck shell=bash
_trnsim() {
    local line=${COMP_LINE:0:COMP_POINT} kept='' answer words=() word='' begun='' quote='' c i
    for ((i = 0; i < ${#line}; i++)); do # words may have quotes and blanks after a backslash
        c=${line:i:1}
        if [[ $c == "\\" && $quote != "'" ]]; then
            i=$((i + 1)) begun=yes
            word+=${line:i:1}
        elif [[ -n $quote ]]; then
            if [[ $c == "$quote" ]]; then quote=''; else word+=$c; fi
        elif [[ $c == "'" || $c == '"' ]]; then
            quote=$c begun=yes
        elif [[ $c == [[:space:]] ]]; then
            [[ -z $begun ]] || words+=("$word")
            word='' begun=''
        else
            word+=$c begun=yes
        fi
    done
    words+=("$word")
    local current=$word
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
