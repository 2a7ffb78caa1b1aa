import type { BulkActionDetailsResponse } from '@despatch/contracts/administration/bulk-action'
import { bulkActionKinds } from '@despatch/domain/bulk-action/bulk-action'
import type { Command } from 'commander'
import { chooseIds, readIdsFile } from '../bulk/read-ids.ts'
import { renderBulkActionDetails } from '../bulk/render-bulk-action.ts'
import { countOf } from '../count-of.ts'
import { findPrintJobKey } from '../jobs/find-print-job-key.ts'
import type { Parts } from '../program.ts'
import type { Session } from '../session.ts'
import { oneOf } from './option.ts'

type PlanOptions = { action: string; reason: string; file?: string }

const lookUpsAtOnce = 4

/** Adds the command that plans an action for selected print jobs, without doing it. */
export function addPlanBulk(bulk: Command, { run, context: { note } }: Parts): void {
  bulk
    .command('plan [jobs...]')
    .description('plans an action on these print jobs, and shows for which it is possible')
    .addOption(oneOf('--action <action>', 'action to plan', bulkActionKinds).makeOptionMandatory())
    .requiredOption('--reason <text>', 'reason, shown in each timeline; no personal information')
    .option('--file <path>', 'file with further ids, one on each line')
    .action((jobs: string[], { action, reason, file }: PlanOptions) =>
      run(async (session) => {
        const given = file === undefined ? jobs : [...jobs, ...(await readIdsFile(file))]
        const { ids, repeated } = chooseIds(given)
        const keys = await findKeys(session, ids)
        // The same print job may be given by its key and by its id.
        const printJobKeys = [...new Set(keys)]
        const again = repeated + keys.length - printJobKeys.length
        if (again > 0) note(`despatch: ${again} given more than once and counted once`)
        const request = { action, reason, printJobKeys }
        const planned = await session.send<BulkActionDetailsResponse>(
          'POST',
          '/bulk-actions',
          request,
        )
        return {
          document: planned,
          text: `${renderBulkActionDetails(planned)}\n\n${next(planned)}`,
        }
      }),
    )
}

function next({
  bulkActionId,
  printJobCount,
  needsSecondPerson,
}: BulkActionDetailsResponse): string {
  const who = needsSecondPerson ? 'Another, independent operator must confirm' : 'Confirm'
  const count = countOf(printJobCount, 'print job')
  return `Nothing has been done with the ${count} yet. ${who} with: despatch bulk confirm ${bulkActionId} --count ${printJobCount}`
}

/** Returns the keys in the order of the ids. Throws a Failure if an id has no print job or several. */
async function findKeys(session: Session, ids: readonly string[]): Promise<string[]> {
  const keys: string[] = []
  for (let start = 0; start < ids.length; start += lookUpsAtOnce) {
    const some = ids.slice(start, start + lookUpsAtOnce)
    keys.push(...(await Promise.all(some.map((id) => findPrintJobKey(session, id)))))
  }
  return keys
}
