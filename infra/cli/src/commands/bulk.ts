import type {
  BulkActionDetailsResponse,
  BulkActionsResponse,
} from '@despatch/contracts/administration/bulk-action'
import { bulkItemFilters } from '@despatch/domain/bulk-action/bulk-action'
import type { Command } from 'commander'
import { ask } from '../ask.ts'
import { renderBulkActionDetails, renderBulkActions } from '../bulk/render-bulk-action.ts'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure } from '../failure.ts'
import type { Run } from '../program.ts'
import type { Session } from '../session.ts'
import { addPageOptions, oneOf, type PageOptions, parseNumberFrom1, queryOf } from './option.ts'
import { addPlanBulk } from './plan-bulk.ts'
import { addWatchBulk, pathOf } from './watch-bulk.ts'

/** Adds the commands for many print jobs at once: plan, confirm after seeing the count, and watch to the end. */
export function addBulkCommands(program: Command, run: Run, context: CommandContext): void {
  const bulk = program
    .command('bulk')
    .description('actions on many print jobs at once, in two steps: plan and confirm')

  addPlanBulk(bulk, run, context)

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
        const planned = await read(session, bulkActionId)
        const printJobCount = count ?? (await askForCount(planned, context))
        const path = `${pathOf(bulkActionId)}/confirm`
        const body = { digest: planned.digest, printJobCount }
        const begun = await session.send<BulkActionDetailsResponse>('POST', path, body)
        const text = `The bulk action is ${begun.state}. Follow it with: despatch bulk watch ${begun.bulkActionId}`
        return { document: begun, text }
      }),
    )

  addWatchBulk(bulk, run, context)

  bulk
    .command('stop <bulkActionId>')
    .description('leaves the remaining print jobs unchanged, or withdraws a plan')
    .action((bulkActionId: string) =>
      run(async (session) => {
        const path = `${pathOf(bulkActionId)}/stop`
        const stopped = await session.send<BulkActionDetailsResponse>('POST', path)
        const { done, notBegun } = stopped.progress
        const text = `Stopped: ${countOf(done, 'print job')} done, ${notBegun} not started.`
        return { document: stopped, text }
      }),
    )

  bulk
    .command('show <bulkActionId>')
    .description('shows a bulk action with the outcome for up to 1,000 of its print jobs')
    .addOption(oneOf('--outcome <outcome>', 'only print jobs with this outcome', bulkItemFilters))
    .option('--cursor <cursor>', 'cursor of the next page, from the previous response')
    .action((bulkActionId: string, options: { outcome?: string; cursor?: string }) =>
      run(async (session) => {
        const path = `${pathOf(bulkActionId)}?${queryOf(options)}`
        const shown = await session.send<BulkActionDetailsResponse>('GET', path)
        return { document: shown, text: renderBulkActionDetails(shown) }
      }),
    )

  addPageOptions(bulk.command('list'))
    .description('lists bulk actions, newest first')
    .action((options: PageOptions) =>
      run(async (session) => {
        const path = `/bulk-actions?${queryOf(options)}`
        const page = await session.send<BulkActionsResponse>('GET', path)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderBulkActions(page.bulkActions)}${more}` }
      }),
    )
}

const read = (session: Session, bulkActionId: string) =>
  session.send<BulkActionDetailsResponse>('GET', pathOf(bulkActionId))

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
