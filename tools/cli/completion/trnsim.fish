# Completion of trnsim for fish: trnsim completion fish > ~/.config/fish/completions/trnsim.fish
function __trnsim_answers
    set -l words (commandline -opc) (commandline -ct)
    for line in (eval $words[1] completion answer (string escape -- "="$words) 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (string replace -r '^.*=' '' -- (commandline -ct))
        else
            echo $line
        end
    end
end
complete -c trnsim -f -a '(__trnsim_answers)'
