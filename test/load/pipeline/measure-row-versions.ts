import { sealedBox } from '@despatch/access/sealed-box'
import { callbackDestinationPurpose, writeDestination } from '@despatch/domain/callback/destination'
import { itemEventsMax } from '@despatch/domain/print-run/item-event'
import type { Submission } from '@despatch/store/print-job/submissions'
import { eventually } from '@despatch/testing/eventually'
import { authenticationHeader, path } from '../callbacks/add-messages.ts'
import { startCallbacks } from '../callbacks/callbacks-side.ts'
import { startReceivers } from '../callbacks/receivers.ts'
import type { Settings } from '../command-line.ts'
import type { Comparison } from '../comparison.ts'
import { describeVersions, readRowVersions, rowVersionsReported, versionsBetween } from '../cost.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { readList } from '../runs/collect-documents.ts'
import { startFulfilment } from '../runs/fulfilment-side.ts'
import { claimRun, workOff } from '../runs/produce-run.ts'
import { makeProvider } from '../runs/provider.ts'
import { letter, openSender, saveAtOnce, startService } from './our-pipeline.ts'

const targets = { versionsMax: 25, hotMin: 0.8 }

/**
 * Counts the row versions of letters from their submission until their print run is closed and their callbacks are
 * delivered. Each is printed with the others in one run, and reported as printed.
 */
export function measureRowVersions(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const { signal, tell, databaseUrl } = ground
  const { jobs } = settings
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const { db, pool } = database
    const receivers = await startReceivers(ground)
    await startCallbacks(ground, settings)
    const headers = await makeProvider(db, ground.environment.DESPATCH_SECRET_KEY!)
    const fulfilment = await startFulfilment(ground, { headers, databaseUrl, nodeFlags: [] })
    // the run is released when it has all letters
    await startService(ground, settings, { DESPATCH_PRINT_RUN_DOCUMENTS_MAX: String(jobs) })
    const sender = await openSender(ground, database)
    const callback = callbackTo(ground, receivers.origins[0]!)
    const wait = (message: string, query: string) =>
      eventually(async () => (await pool.query<{ found: string }>(query)).rows[0]?.found, {
        deadlineMs: settings.seconds * 1_000,
        message,
      })

    await rowVersionsReported(signal)
    const before = await readRowVersions(pool)
    tell(`${jobs} letters`)
    const letters = Array.from({ length: jobs }, (_, number) => letter(sender, number))
    await saveAtOnce(
      pool,
      letters.map((each) => ({ ...each, ...callback })),
    )
    const batchNumber = await wait(
      'a run is released',
      `select batch_number as found from print_run where state = 'RELEASED'`,
    )
    const claim = await claimRun(fulfilment, batchNumber)
    const { documents } = await readList(fulfilment, batchNumber)
    const documentIds = documents.map(({ documentId }) => documentId)
    if (documentIds.length < jobs) throw new Error('The run has not all letters')
    const eventCalls = Math.ceil(jobs / itemEventsMax)
    await workOff(fulfilment, claim, { documentIds, eventCalls })
    await fulfilment.post(`/print-runs/${batchNumber}/close`)
    await wait(
      'all callbacks are delivered',
      `select 'all' as found where ${jobs} = (select count(*) from callback where state = 'DELIVERED')`,
    )
    await rowVersionsReported(signal)
    const after = await readRowVersions(pool)
    const when = 'submission to CLOSED and DELIVERED'
    const { figures, note } = describeVersions(when, versionsBetween(before, after), jobs, targets)
    return [
      { scenario: `${jobs} letters`, rival: '', measures: [], figures, notes: note.split(', ') },
    ]
  })
}

function callbackTo({ environment }: Ground, origin: string): Partial<Submission> {
  const purpose = callbackDestinationPurpose
  const box = sealedBox(environment.DESPATCH_SECRET_KEY!, { purpose })
  const destination = writeDestination({ target: `${origin}${path}`, authenticationHeader })
  return {
    callbackDestinationSealed: box.seal(destination).toString('hex'),
    callbackOrigin: origin,
    callbackStatuses: ['DESPATCHED'],
  }
}
