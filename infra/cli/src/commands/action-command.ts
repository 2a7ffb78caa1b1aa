import type { OperatorAction } from '@despatch/domain/operator-action/operator-action'
import type { Command } from 'commander'
import { forRoles } from '../operation.ts'

/** Adds the command of an operator's action, with the description, roles and reason that its declaration gives. */
export function addActionCommand(
  parent: Command,
  usage: string,
  { operationId, effect, reason }: Pick<OperatorAction, 'operationId' | 'effect' | 'reason'>,
): Command {
  const command = parent
    .command(usage)
    .description(forRoles(operationId, lowerFirst(effect).replace(/\.$/, '')))
  if (!reason) return command
  const { member, question, shown, isOptional } = reason
  const description = `${lowerFirst(question)}, shown ${shown}; no personal information`
  const flags = `--${member} <text>`
  return isOptional
    ? command.option(flags, description)
    : command.requiredOption(flags, description)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
