# bash completion for kfdcts, kfdvm and kfdreport. The programs list their options themselves (--completion-words), so
# that nothing here has to follow them; only where values come from is said here.

# The names that `kfdvm machines` or `kfdvm kernels` list. $1: the program that is completed, $2: machines or kernels.
_kfdcts_vm_names() {
  local vm=kfdvm
  [[ $1 == */* ]] && vm=${1%/*}/kfdvm
  "$vm" "$2" 2>/dev/null | awk '{ print $1 }'
}

# What can follow in a filter: suites, then tests, then their instances. $1: the program, $2: the pattern's start.
_kfdcts_tests() {
  "$1" --gtest_list_tests 2>/dev/null | awk -v start="$2" '
    /^[^ ]/ { suite = $1; if (index(start, ".") == 0) print suite; next }
    index(start, ".") == 0 || index(start, suite) != 1 { next }
    {
      test = $1
      if (index(start, "/") == 0 && index(test, "/") > 0) test = substr(test, 1, index(test, "/"))
      if (!((suite test) in seen)) print suite test
      seen[suite test] = 1
    }'
}

# Replies for the value of an option. $1: the program, $2: the option, $3: what it takes, $4: the value so far.
_kfdcts_value() {
  local before= part=$4
  case $2 in
    --machine) COMPREPLY=($(compgen -W "$(_kfdcts_vm_names "$1" machines)" -- "$part") $(compgen -f -X '!*.yaml' -- "$part")) ;;
    --kernel) COMPREPLY=($(compgen -W "$(_kfdcts_vm_names "$1" kernels)" -- "$part") $(compgen -f -- "$part")) ;;
    --gtest_filter)
      part=${4##*[:-]}
      before=${4%"$part"}
      COMPREPLY=($(compgen -P "$before" -W "$(_kfdcts_tests "$1" "$part")" -- "$part"))
      [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[./] ]] && compopt -o nospace 2>/dev/null
      ;;
    *)
      if [[ $3 == *'|'* ]]; then
        COMPREPLY=($(compgen -W "${3//[\[\]|]/ }" -- "$part"))
      elif [[ $3 != *INT* && $3 != *NAME=VALUE* && $3 != *GLOBS* ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$part"))
      fi
      ;;
  esac
}

# Replies where an option or a subcommand may stand. $1: the program, $2: the subcommand or -, $3: the word so far.
_kfdcts_word() {
  local command word value help replies=()
  while IFS=$'\t' read -r command word value help; do
    [[ $command == "$2" ]] || continue
    case $word,$value in
      *,command | -*,-) replies+=("$word") ;;
      -*,\[*) replies+=("$word" "$word=") ;;
      -*) replies+=("$word=") ;;
    esac
  done < <("$1" --completion-words 2>/dev/null)
  if [[ $3 == --gtest* ]]; then
    replies+=($("$1" --gtest_help 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g' | grep -o -- '--gtest_[a-z_]*=\?' | sort -u))
  fi
  # A word without a dash is a subcommand or an argument of one.
  if [[ $3 != -* && $2 == explain ]]; then
    replies=($("$1" --list-rules 2>/dev/null | grep -oE '\b[A-Z]+-[0-9]+' | sort -u))
  elif [[ $3 != -* && $2 != - ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$3"))
    return
  fi
  COMPREPLY=($(compgen -W "${replies[*]}" -- "$3"))
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

# The subcommand among the words of the line, or -. $1: the program, further: the words.
_kfdcts_command() {
  local program=$1 known word
  shift
  known=" $("$program" --completion-words 2>/dev/null | awk -F '\t' '$3 == "command" { print $2 }' | tr '\n' ' ')"
  for word; do
    [[ $known == *" $word "* ]] && { printf '%s\n' "$word"; return; }
  done
  printf '%s\n' -
}

# What an option takes, nothing where it is unknown. $1: the program, $2: the subcommand or -, $3: the option.
_kfdcts_takes() {
  "$1" --completion-words 2>/dev/null |
    awk -F '\t' -v command="$2" -v word="$3" '$1 == command && $2 == word { print $3; exit }'
}

# Replies for the line up to the cursor. bash cuts words at = and :, the programs do not: the line is cut at blanks here,
# and what bash has already of the last word is taken off the replies.
_kfdcts() {
  COMPREPLY=()
  local IFS=$' \t\n' program=${COMP_WORDS[0]} line=${COMP_LINE:0:COMP_POINT} words=() current=
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    current=${words[-1]}
    unset 'words[-1]'
  fi
  local before=("${words[@]:1}") last=${words[-1]} command takes
  if [[ " ${before[*]} " == *' -- '* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -c -f -- "$current"))
    return
  fi
  command=$(_kfdcts_command "$program" "${before[@]}")
  if [[ $current == -*=* ]]; then
    local option=${current%%=*}
    _kfdcts_value "$program" "$option" "$(_kfdcts_takes "$program" "$command" "$option")" "${current#*=}"
    COMPREPLY=("${COMPREPLY[@]/#/$option=}")
  elif [[ $last == --* && $last != *=* ]] && takes=$(_kfdcts_takes "$program" "$command" "$last") && [[ $takes && $takes != - && $takes != \[* ]]; then
    _kfdcts_value "$program" "$last" "$takes" "$current"
  else
    _kfdcts_word "$program" "$command" "$current"
  fi
  local cut=${COMP_WORDS[COMP_CWORD]:-} had
  [[ $cut == [=:]* ]] && cut=
  had=${current%"$cut"}
  COMPREPLY=("${COMPREPLY[@]#"$had"}")
}

complete -F _kfdcts kfdcts kfdvm kfdreport
