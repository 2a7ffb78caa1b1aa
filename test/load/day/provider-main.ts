import { setTimeout as pause } from 'node:timers/promises'
import type { PrintRunsResponse } from '@despatch/contracts/print-fulfilment/print-run'
import type { CloseResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import { Agent } from 'undici'
import { answerParent } from '../child.ts'
import { collectDocuments, readList } from '../runs/collect-documents.ts'
import { type FulfilmentClient, openFulfilmentClient } from '../runs/fulfilment-side.ts'
import { claimRun, workOff } from '../runs/produce-run.ts'
import type { PrintPlan, PrintResult } from './day.ts'
import { openSession } from './session.ts'

/** The provider of a day: takes one run after the other until it has posted all letters. */
answerParent(print)

const lookMs = 1_000

async function print(plan: PrintPlan): Promise<PrintResult> {
  const agent = new Agent()
  const { accessOrigin: origin, fulfilmentOrigin, provider, letters } = plan
  const session = openSession(agent, { origin, ...provider })
  const client = openFulfilmentClient({ origin: fulfilmentOrigin, headers: session.headers })
  const result = { runs: 0, documents: 0, bytes: 0 }
  while (result.documents < letters) {
    const released = await listReleased(client)
    for (const batchNumber of released) {
      const { documents, bytes } = await produce(client, batchNumber)
      result.runs += 1
      result.documents += documents
      result.bytes += bytes
    }
    if (released.length === 0) await pause(lookMs)
  }
  await client.close()
  await agent.close()
  return result
}

async function listReleased({ get }: FulfilmentClient): Promise<string[]> {
  const answer = await get('/print-runs?state=RELEASED')
  if (answer.statusCode !== 200) throw new Error(`The list of runs: ${answer.statusCode}`)
  const { printRuns } = (await answer.body.json()) as PrintRunsResponse
  return printRuns.map(({ batchNumber }) => batchNumber)
}

/** Claims a run, fetches its documents, reports them as printed, posts them and closes the run. */
async function produce(client: FulfilmentClient, batchNumber: string) {
  const claim = await claimRun(client, batchNumber)
  const { documents } = await readList(client, batchNumber)
  const bytes = await collectDocuments(client, batchNumber)
  const documentIds = documents.map(({ documentId }) => documentId)
  await workOff(client, claim, documentIds)
  await client.post<CloseResponse>(`/print-runs/${batchNumber}/close`)
  return { documents: documents.length, bytes }
}
