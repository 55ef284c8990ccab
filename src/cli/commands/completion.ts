import { Argument, type Command } from 'commander';
import { wrongUse } from '../exit-code.ts';

/**
 * At each Tab the script asks the program itself for commands, options and names from the service.
 * Bash splits `@last` into two words. Zsh runs a file of its `fpath` at the first Tab.
 */
const SCRIPTS: Record<string, string> = {
  bash: `_runlink() {
  local IFS=$'\\n'
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  [[ \${COMP_WORDS[COMP_CWORD-1]} == @ ]] &&
    words=("\${COMP_WORDS[@]:1:COMP_CWORD-2}" "@\${COMP_WORDS[COMP_CWORD]}")
  COMPREPLY=($(runlink __complete "\${words[@]}" 2>/dev/null | cut -f1))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default
}
complete -F _runlink runlink
`,
  zsh: `#compdef runlink
_runlink() {
  local -a found
  found=("\${(@f)$(runlink __complete "\${(@)words[2,CURRENT]}" 2>/dev/null | sed -e 's/\\\\/&&/g' -e 's/:/\\\\:/g' -e 's/\\t/:/')}")
  if [[ -n "$found[1]" ]]; then _describe -V runlink found; else _files; fi
}
compdef _runlink runlink
[[ $funcstack[1] == _runlink ]] && _runlink
`,
  fish: `function __runlink_words
  set -l found (runlink __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    string join \\n -- $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c runlink -e
complete -c runlink -f -k -a '(__runlink_words)'
`,
};

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  $ eval "$(runlink completion bash)"                              # in ~/.bashrc
  $ runlink completion zsh > "\${fpath[1]}/_runlink"
  $ runlink completion fish > ~/.config/fish/completions/runlink.fish`,
    )
    .action((shell: string) => {
      const script = SCRIPTS[shell];
      if (script === undefined) throw wrongUse(`There is no completion for ${shell}.`);
      process.stdout.write(script);
    });
}
