import { InvalidArgumentError } from 'commander'
import { renderBash } from '../completion/bash.ts'
import { type CommandNode, listCommands } from '../completion/command-tree.ts'
import { renderFish } from '../completion/fish.ts'
import { renderZsh } from '../completion/zsh.ts'
import type { Parts } from '../program.ts'

const shells: Readonly<Record<string, (nodes: readonly CommandNode[]) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
}

/** Adds the command whose output a shell loads. It requires no sign-in. */
export function addCommands({ program, context: { print } }: Parts): void {
  program
    .command('completion')
    .description('prints the completion script for bash, zsh or fish')
    .argument('<shell>', 'bash, zsh or fish', parseShell)
    .addHelpText('after', helpAboutLoading)
    .action((shell: string) => {
      const script = shells[shell]!(listCommands(program)).trimEnd()
      const { json } = program.opts<{ json?: boolean }>()
      print(json ? JSON.stringify({ shell, script }, null, 2) : script)
    })
}

const helpAboutLoading = `
  bash: source <(npx despatch completion bash)     in ~/.bashrc
  zsh:  source <(npx despatch completion zsh)      in ~/.zshrc, after compinit
  fish: npx despatch completion fish | source      in ~/.config/fish/config.fish

It completes the commands, options and fixed values of despatch and of npx despatch. Where npx finds no despatch, load a saved copy.`

function parseShell(shell: string): string {
  if (shell in shells) return shell
  throw new InvalidArgumentError('It must be bash, zsh or fish.')
}
