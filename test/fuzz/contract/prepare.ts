import { eventually } from '@despatch/testing/eventually'
import { aConsumer } from '../../stack/a-consumer.ts'
import { aSmallLetter } from '../../stack/a-small-letter.ts'
import { aProvider } from '../../stack/provider-loop/a-provider.ts'
import type { Credentials } from '../../stack/start-despatch.ts'
import { type Callers, callerOf } from './callers.ts'
import type { KnownValues } from './known-values.ts'
import { nameOf, type Operation } from './operations.ts'
import type { Sender } from './send.ts'

type Prepared = {
  credentials: Credentials
  callers: Callers
  known: KnownValues
  sender: Sender
  operations: readonly Operation[]
}

const letters = 6

/**
 * Creates objects that requests can refer to: letters, print runs of which one is claimed, and a posting. Then reads
 * all lists.
 */
export async function prepare({
  credentials,
  callers,
  known,
  sender,
  operations,
}: Prepared): Promise<void> {
  const { baseUrl } = credentials
  const consumer = await aConsumer(baseUrl, credentials.consumer)
  const callbackParams = { target: 'http://127.0.0.1:65535/', retryParams: { enabled: true } }
  for (let letter = 0; letter < letters; letter += 1) {
    const id = await consumer.submit({ ...aSmallLetter, callbackParams })
    known.learn('print-request/submitPrintJob', { id })
  }
  await claimOne(credentials, known)
  for (const operation of operations.filter(isList)) {
    const { token, apiKey } = callers[callerOf(operation)]
    const outcome = await sender.send({
      operation,
      path: {},
      query: [],
      headers: {},
      credentials: { authorization: token, 'x-api-key': apiKey },
      as: callerOf(operation),
    })
    if ('answer' in outcome && outcome.answer.status === 200) {
      known.learn(nameOf(operation), JSON.parse(outcome.answer.body.toString()))
    }
  }
}

function isList({ method, path }: Operation): boolean {
  return method === 'GET' && !path.includes('{')
}

async function claimOne(
  { baseUrl, provider: credential }: Credentials,
  known: KnownValues,
): Promise<void> {
  const provider = await aProvider(baseUrl, { id: 'demo-provider', credential })
  const run = await eventually(
    async () => {
      const { body } = await provider.call('GET', '/print-runs')
      known.learn('listPrintRuns', body)
      return body.printRuns.find(({ state }: { state: string }) => state === 'RELEASED')
    },
    { deadlineMs: 60_000, pollMs: 100, message: 'a print run can be claimed' },
  )
  await provider.claim(run.batchNumber, 'prepared')
  const manifest = await provider.manifest(run.batchNumber)
  known.learn('getManifest', manifest)
  await provider.acknowledge(run.batchNumber, manifest)
  known.learn('createPosting', (await provider.post(run.batchNumber, 'prepared')).body)
}
