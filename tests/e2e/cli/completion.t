The scripts are sound, as far as their shells are here.

$ for shell in bash zsh fish; do bloomery completion $shell > script.$shell; command -v $shell > /dev/null && $shell -n script.$shell; done; wc -l < script.bash | grep -c '[0-9][0-9]'
1

A command begun, an option, a format, a file.

$ printf '%s\n' 'source ./script.bash' 'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bloomery; echo "${COMPREPLY[*]}"; }' > try.bash; touch some.bloom

$ source ./try.bash; try bloomery bu; try bloomery ver; try bloomery inspect --str; try bloomery inspect some; try bloomery completion ''; try bloomery merge --op ''
build
verify
--strict
some.bloom
bash zsh fish
or and

bash breaks words at colons and equals signs; format names have colons.

$ source ./try.bash; try bloomery inspect --format go; try bloomery inspect --format = go; try bloomery inspect --format guava : m; try bloomery convert --to bits-and-blooms : j
go-bloom
go-bloom
mitz32
json

$ command -v fish > /dev/null || { echo 'there is no fish'; exit 77; }

$ fish -c "source script.fish; complete -C 'bloomery bu'; complete -C 'bloomery inspect --str'; complete -C 'bloomery convert --to eventhorizon:'" | cut -f1
build
--strict
eventhorizon:x64

$ bloomery completion tcsh 2>&1 | tail -1
Try 'bloomery completion --help'.
