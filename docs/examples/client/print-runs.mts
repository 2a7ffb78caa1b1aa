// Takes every print run that is offered, saves its files, reports its documents as printed, posts and closes it:
// node print-runs.ts folder. Start it again after a crash, and it finishes the runs that it has begun. A real factory
// also writes each attempt down before it prints.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PrintRun, ProviderClient } from '@despatch/client'

const { DESPATCH_URL = 'http://127.0.0.1:8080', DESPATCH_USER = '' } = process.env
const { DESPATCH_PASSWORD = '', DESPATCH_API_KEY = '' } = process.env
const folder = process.argv[2] ?? 'print-runs'

const despatch = new ProviderClient({
  baseUrl: DESPATCH_URL,
  userName: DESPATCH_USER,
  password: DESPATCH_PASSWORD,
  apiKey: DESPATCH_API_KEY,
})

const begun = ['CLAIMED', 'ACCEPTED', 'IN_PRODUCTION', 'POSTED', 'RECONCILED']

await mkdir(folder, { recursive: true })
for (const state of [...begun, 'RELEASED']) {
  for await (const run of despatch.listPrintRuns({ state })) await take(run)
}

/** Each step may be repeated with the same content, so a run that was begun goes through all of them again. */
async function take({ batchNumber, state, leaseUntil = 'never' }: PrintRun): Promise<void> {
  // When a lease has expired, the run is offered again. The next claim requires another key, because the same key
  // repeats the old answer. Each claim has a later end.
  const idempotencyKey = `${batchNumber}:leased:${leaseUntil}`
  if (state === 'RELEASED') await despatch.claimPrintRun(batchNumber, { idempotencyKey })
  const { documents, totals, manifestDigest } = await despatch.getManifest(batchNumber)
  for (const document of documents) {
    const file = await despatch.getDocument(document)
    await writeFile(join(folder, `${document.documentId}.pdf`), file)
  }
  const { documentCount, sheetCount } = totals
  await despatch.acknowledge(batchNumber, { documentCount, sheetCount, manifestDigest })

  const at = await timeOfPrinting(batchNumber)
  const events = documents.map(({ documentId, attempt }) => ({
    eventId: `${batchNumber}:${documentId}:${attempt}:PRINTED`,
    ...{ documentId, attempt, type: 'PRINTED', occurredAt: at },
  }))
  // a request has room for 2,500 events
  for (let from = 0; from < events.length; from += 2_500) {
    const results = await despatch.reportEvents(batchNumber, events.slice(from, from + 2_500))
    for (const { eventId, refusal } of results)
      if (refusal) throw new Error(`${eventId}: ${refusal}`)
  }

  const { postingId } = await despatch.createPosting(
    { batchNumber, carrier: 'Royal Mail', handoverAt: at },
    { idempotencyKey: `${batchNumber}:posting:1` },
  )
  await despatch.confirmPosting(postingId)
  const closed = await despatch.closePrintRun(batchNumber)
  console.log(batchNumber, closed.state, closed.despatched)
}

/** Written down before it is reported, so that it is the same after a crash. */
async function timeOfPrinting(batchNumber: string): Promise<string> {
  const path = join(folder, `${batchNumber}.printed-at`)
  const known = await readFile(path, 'utf8').catch(() => '')
  if (known) return known
  const now = new Date().toISOString()
  await writeFile(path, now)
  return now
}
