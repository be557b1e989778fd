Every help begins with examples.

$ for command in inspect verify compare merge fold convert size completion; do bloomery $command --help | head -1; done | uniq -c | tr -s ' '
 8 Examples:
