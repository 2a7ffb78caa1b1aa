import type { BulkActionDetailsResponse } from '@despatch/contracts/administration/bulk-action'
import { bulkItemFilters } from '@despatch/domain/bulk-action/bulk-action'
import { ask } from '../ask.ts'
import { renderBulkActionDetails, renderBulkActions } from '../bulk/render-bulk-action.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure } from '../failure.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { oneOf, option, pageOptions, parseNumberFrom1 } from './option.ts'
import { addPlanBulk } from './plan-bulk.ts'
import { addWatchBulk, pathOf } from './watch-bulk.ts'

/** Adds the commands for many print jobs at once: plan, confirm after seeing the count, and watch to the end. */
export function addCommands(parts: Parts): void {
  const { program, run, context } = parts
  const bulk = program
    .command('bulk')
    .description('actions on many print jobs at once, in two steps: plan and confirm')
  const add = addingTo(bulk, parts)

  addPlanBulk(bulk, parts)
  bulk
    .command('confirm <bulkActionId>')
    .description('starts a planned action; a large one requires a second, independent person')
    .option(
      '--count <number>',
      'number of print jobs in the plan; prompted for if omitted',
      parseNumberFrom1,
    )
    .action((bulkActionId: string, { count }: { count?: number }) =>
      run(async (session) => {
        const planned = await session.send<BulkActionDetailsResponse>('GET', pathOf(bulkActionId))
        const printJobCount = count ?? (await askForCount(planned, context))
        const path = `${pathOf(bulkActionId)}/confirm`
        const body = { digest: planned.digest, printJobCount }
        const begun = await session.send<BulkActionDetailsResponse>('POST', path, body)
        const text = `The bulk action is ${begun.state}. Follow it with: despatch bulk watch ${begun.bulkActionId}`
        return { document: begun, text }
      }),
    )

  addWatchBulk(bulk, parts)
  add({
    usage: 'stop <bulkActionId>',
    operation: 'stopBulkAction',
    route: 'POST /bulk-actions/:bulkActionId/stop',
    does: 'leaves the remaining print jobs unchanged, or withdraws a plan',
    text: ({ progress: { done, notBegun } }) =>
      `Stopped: ${countOf(done, 'print job')} done, ${notBegun} not started.`,
  })
  add({
    usage: 'show <bulkActionId>',
    operation: 'getBulkAction',
    route: 'GET /bulk-actions/:bulkActionId',
    does: 'shows a bulk action with the outcome for up to 1,000 of its print jobs',
    options: [
      oneOf('--outcome <outcome>', 'only print jobs with this outcome', bulkItemFilters),
      option('--cursor <cursor>', 'cursor of the next page, from the previous response'),
    ],
    // the cursor follows the text of every command that pages
    text: ({ nextCursor: _, ...shown }) => renderBulkActionDetails(shown),
  })
  add({
    usage: 'list',
    operation: 'listBulkActions',
    route: 'GET /bulk-actions',
    does: 'lists bulk actions, newest first',
    options: pageOptions(),
    text: ({ bulkActions }) => renderBulkActions(bulkActions),
  })
}

/** Asks the operator at a terminal to read the plan and type its count. Throws a Failure if the count differs. */
async function askForCount(
  planned: BulkActionDetailsResponse,
  context: CommandContext,
): Promise<number> {
  if (context.canAsk) context.note(renderBulkActionDetails(planned))
  const message = `Number of print jobs to ${planned.action}?`
  const typed = await ask(context, { message, instead: '--count' })
  if (typed.trim() === String(planned.printJobCount)) return planned.printJobCount
  const { printJobCount } = planned
  throw new Failure(`the plan has ${countOf(printJobCount, 'print job')}. Nothing was done`, {
    exitCode: 1,
  })
}
