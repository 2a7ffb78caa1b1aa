import type * as bulkActions from '@despatch/contracts/administration/bulk-action-operations'
import type * as callbacks from '@despatch/contracts/administration/callback-operations'
import type * as credentials from '@despatch/contracts/administration/credential-operations'
import type * as consumers from '@despatch/contracts/administration/operations'
import type * as printJobs from '@despatch/contracts/administration/print-job-operations'
import type * as printRuns from '@despatch/contracts/administration/print-run-operations'
import type * as providers from '@despatch/contracts/administration/provider-operations'
import type * as queues from '@despatch/contracts/administration/queue-operations'
import type * as recordSets from '@despatch/contracts/administration/record-set-operations'
import type * as reprints from '@despatch/contracts/administration/reprint-operations'
import type * as templates from '@despatch/contracts/administration/template-operations'
import type * as volumes from '@despatch/contracts/administration/volume-operations'
import { type OperationWithRoles, operationRoles } from '@despatch/domain/access/operation-roles'
import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import type { OperatorAction } from '@despatch/domain/operator-action/operator-action'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { printRunActions, settleRecall } from '@despatch/domain/operator-action/print-run-actions'
import { queueActions } from '@despatch/domain/operator-action/queue-actions'
import { reprintActions } from '@despatch/domain/operator-action/reprint-actions'
import type { Command } from 'commander'
import type { z } from 'zod'

// only their types: to load the schemas takes longer than a command
type Operations = typeof bulkActions &
  typeof callbacks &
  typeof consumers &
  typeof credentials &
  typeof printJobs &
  typeof printRuns &
  typeof providers &
  typeof queues &
  typeof recordSets &
  typeof reprints &
  typeof templates &
  typeof volumes

/** An operation of the administration API. */
export type OperationId = keyof Operations & OperationWithRoles

type Responses<Id extends OperationId> = Operations[Id]['schema']['response']

/** The body of its response. */
export type AnswerOf<Id extends OperationId> = Id extends unknown ? SuccessOf<Responses<Id>> : never
type SuccessOf<Given> = Given[Extract<keyof Given, 200 | 201 | 202>] extends infer Schema
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : never
  : never

const actions: readonly Pick<OperatorAction, 'operationId' | 'path' | 'effect' | 'reason'>[] = [
  ...Object.values(callbackActions),
  ...Object.values(printJobActions),
  ...Object.values(printRunActions),
  settleRecall,
  ...Object.values(queueActions),
  ...Object.values(reprintActions),
]

/** Returns the declaration of the operator's action that an operation carries out. */
export function actionOf(operation: OperationId) {
  return actions.find(({ operationId }) => operationId === operation)
}

/** Returns the description of a command, with the roles that its operation requires if not every operator has one. */
export function forRoles(operationId: OperationWithRoles, description: string): string {
  const roles: readonly string[] = operationRoles[operationId]
  return roles.includes('operator')
    ? description
    : `${description}; requires the ${roles.join(' or ')} role`
}

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
