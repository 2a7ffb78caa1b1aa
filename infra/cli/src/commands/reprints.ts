import type {
  AllReprintsResponse,
  DecidedReprintResponse,
} from '@despatch/contracts/administration/reprint'
import { actionPath } from '@despatch/domain/operator-action/operator-action'
import { reprintActions } from '@despatch/domain/operator-action/reprint-actions'
import { reprintStates } from '@despatch/domain/print-run/state'
import type { Command } from 'commander'
import { type Agreement, addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import type { Run } from '../program.ts'
import { renderTable } from '../table.ts'
import { addActionCommand } from './action-command.ts'
import { addPageOptions, oneOf, type PageOptions, queryOf } from './option.ts'

/** Adds the commands of the second person, who decides on reprints. */
export function addReprintCommands(program: Command, run: Run, context: CommandContext): void {
  const reprints = program
    .command('reprints')
    .description('documents that providers ask to print again')

  addPageOptions(reprints.command('list'))
    .description('lists reprints that await a decision')
    .addOption(oneOf('--state <state>', 'in this state', reprintStates).default('WAITING'))
    .action((options: PageOptions & { state: string }) =>
      run(async (session) => {
        const path = `/reprints?${queryOf(options)}`
        const page = await session.send<AllReprintsResponse>('GET', path)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        const off = page.secondPersonOff ? `\n\n${page.secondPersonOff}` : ''
        return { document: page, text: `${renderReprints(page.reprints)}${more}${off}` }
      }),
    )

  const decide = (
    reprintId: string,
    decision: keyof typeof reprintActions,
    agreement: Agreement,
    body?: object,
  ) =>
    run(async (session) => {
      const refusal = await refuseUnlessAgreed(agreement, context)
      if (refusal) return refusal
      const path = actionPath(reprintActions[decision], reprintId)
      const reprint = await session.send<DecidedReprintResponse>('POST', path, body)
      const { documentId, batchNumber, attempt, state } = reprint
      const text = `Attempt ${attempt} at ${documentId} of ${batchNumber} is ${state}.`
      return { document: reprint, text }
    })

  const { authorise, refuse } = reprintActions
  addYesOption(addActionCommand(reprints, 'authorise <reprintId>', authorise)).action(
    (reprintId: string, { yes }: { yes?: true }) =>
      decide(reprintId, 'authorise', { yes, ...authorising(reprintId) }),
  )
  addYesOption(addActionCommand(reprints, 'refuse <reprintId>', refuse)).action(
    (reprintId: string, { reason, yes }: { reason: string; yes?: true }) =>
      decide(reprintId, 'refuse', { yes, ...refusing(reprintId) }, { reason }),
  )
}

function authorising(reprintId: string): Agreement {
  const text = `This authorises reprint ${reprintId}: 1 document is printed again. This cannot be undone.`
  return {
    describe: () => ({ document: { reprintId }, text }),
    question: 'Authorise it?',
    otherwise: 'nothing was authorised',
  }
}

function refusing(reprintId: string): Agreement {
  const text = `This refuses reprint ${reprintId} and rejects 1 print job. This cannot be undone.`
  return {
    describe: () => ({ document: { reprintId }, text }),
    question: 'Refuse it?',
    otherwise: 'nothing was refused',
  }
}

function renderReprints(reprints: readonly DecidedReprintResponse[]): string {
  const header = [
    'reprint',
    'state',
    'print run',
    'document',
    'attempt',
    'provider',
    'reason',
    'asked',
    'by',
  ]
  const rows = reprints.map((reprint) => [
    reprint.reprintId,
    reprint.state,
    reprint.batchNumber,
    reprint.documentId,
    String(reprint.attempt),
    reprint.providerId,
    [reprint.reasonCode, reprint.reason].filter((part) => part !== undefined).join(': '),
    reprint.requestedAt,
    reprint.requestedBy,
  ])
  return renderTable(header, rows)
}
