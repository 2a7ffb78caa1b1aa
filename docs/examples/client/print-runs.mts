// Takes every print run that is offered, saves its files, reports its documents as printed, posts and closes it:
// node print-runs.ts folder. A real factory writes each key down before it calls, and each attempt before it prints.
import { mkdir, writeFile } from 'node:fs/promises'
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

await mkdir(folder, { recursive: true })
for (const state of ['CLAIMED', 'RELEASED']) {
  for await (const run of despatch.listPrintRuns({ state })) await take(run)
}

async function take({ batchNumber, state, claimedAt = 'never' }: PrintRun): Promise<void> {
  // A claimed run is one that an earlier start of this program has not finished. When a lease has expired, the run is
  // offered again, and the next claim requires another key: the same key repeats the old answer.
  const idempotencyKey = `${batchNumber}:claimed:${claimedAt}`
  if (state === 'RELEASED') await despatch.claimPrintRun(batchNumber, { idempotencyKey })
  const { documents, totals, manifestDigest } = await despatch.getManifest(batchNumber)
  for (const document of documents) {
    const file = await despatch.getDocument(document)
    await writeFile(join(folder, `${document.documentId}.pdf`), file)
  }
  const { documentCount, sheetCount } = totals
  await despatch.acknowledge(batchNumber, { documentCount, sheetCount, manifestDigest })

  const events = documents.map(({ documentId, attempt }) => ({
    eventId: `${batchNumber}:${documentId}:${attempt}:PRINTED`,
    ...{ documentId, attempt, type: 'PRINTED', occurredAt: new Date().toISOString() },
  }))
  // a request has room for 2,500 events
  for (let from = 0; from < events.length; from += 2_500) {
    const results = await despatch.reportEvents(batchNumber, events.slice(from, from + 2_500))
    for (const { eventId, refusal } of results)
      if (refusal) throw new Error(`${eventId}: ${refusal}`)
  }

  const { postingId } = await despatch.createPosting(
    { batchNumber, carrier: 'Royal Mail', handoverAt: new Date().toISOString() },
    { idempotencyKey: `${batchNumber}:posting:1` },
  )
  await despatch.confirmPosting(postingId)
  const closed = await despatch.closePrintRun(batchNumber)
  console.log(batchNumber, closed.state, closed.despatched)
}
