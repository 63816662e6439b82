# fish completion for kfdcts, kfdvm and kfdreport: what the programs say of their options (--completion-words).

# Words of the program on the command line, with their help: of its subcommand where one was typed.
function __kfdcts_words
    set -l typed (commandline -opc)
    set -l program $typed[1]
    set -l words ($program --completion-words 2>/dev/null)
    set -l command -
    for word in $typed[2..]
        if string match -q -- "-"\t"$word"\t"command"\t"*" $words
            set command $word
            break
        end
    end
    for line in $words
        set -l field (string split \t -- $line)
        test "$field[1]" = "$command"; or continue
        if string match -q -- '-*' $field[2]; and test "$field[3]" != -; and not string match -q -- '[*' $field[3]
            if string match -q -- '*|*' $field[3]
                for value in (string split '|' -- $field[3])
                    printf '%s=%s\t%s\n' $field[2] $value $field[4]
                end
            else
                printf '%s=\t%s\n' $field[2] $field[4]
            end
        else if string match -q -- '-*' $field[2]; or test "$field[3]" = command
            printf '%s\t%s\n' $field[2] $field[4]
        end
    end
    if test $command = explain
        $program --list-rules 2>/dev/null | string match -r -- '\b[A-Z]+-[0-9]+\b' | sort -u
    end
end

for program in kfdcts kfdvm kfdreport
    complete -c $program -a '(__kfdcts_words)'
end
