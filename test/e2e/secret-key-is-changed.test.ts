import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { eventually } from '@despatch/testing/eventually'
import { objectStoreSettings } from '@despatch/testing/object-store-settings'
import { expect, test } from 'vitest'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { startRecordingReceiver } from '../stack/callbacks/recording-receiver.ts'
import { type Despatch, makeDirectory, startDespatch } from '../stack/start-despatch.ts'

const oldKey = 'a1'.repeat(32)
const newKey = 'b2'.repeat(32)
/** The settings of each step of docs/secrets.md, "Changing the secret key". */
const steps = [
  { name: 'before', DESPATCH_SECRET_KEY: oldKey },
  { name: 'opens both', DESPATCH_SECRET_KEY: oldKey, DESPATCH_SECRET_KEY_PREVIOUS: newKey },
  { name: 'seals with the new', DESPATCH_SECRET_KEY: newKey, DESPATCH_SECRET_KEY_PREVIOUS: oldKey },
  { name: 'without the old', DESPATCH_SECRET_KEY: newKey },
] as const

test('while the secret key is changed, users can sign in and callbacks are delivered at every step', {
  timeout: 300_000,
}, async () => {
  await using parts = new AsyncDisposableStack()
  const clone = await cloneDatabase()
  parts.defer(clone.drop)
  const directories = [parts.use(await makeDirectory()), parts.use(await makeDirectory())]
  const receiver = parts.use(await startRecordingReceiver())
  const start = async (place: number, { name: _, ...keys }: (typeof steps)[number]) =>
    parts.use(
      await startDespatch(directories[place]!.path, {
        DATABASE_URL: clone.url,
        ...objectStoreSettings(),
        ...keys,
      }),
    )
  const processes: Despatch[] = [await start(0, steps[0])]
  const credentialsOf = (place: number) => join(directories[place]!.path, 'credentials.json')
  await copyFile(credentialsOf(0), credentialsOf(1))
  processes.push(await start(1, steps[0]))
  let letters = 0
  const sent: string[] = []

  /** At each process, a user signs in, and a letter whose target is sealed is refused and called back. */
  async function check() {
    for (const { credentials } of processes) {
      const consumer = await aConsumer(credentials.baseUrl, credentials.consumer)
      const id = `letter-${++letters}`
      sent.push(id)
      const uploadId = await consumer.upload(Buffer.from('not a file of any allowed kind'))
      await consumer.submit({
        ...aSmallLetter,
        id,
        callbackParams: {
          target: receiver.origin,
          authenticationHeader: 'Bearer of the receiver',
        },
        fileParams: [{ fileId: 'enclosure', uploadId }],
      })
      await consumer.reached(id, 'REJECTED', 60_000)
    }
    await eventually(() => sent.length <= new Set(receiver.calls.map(({ id }) => id)).size, {
      deadlineMs: 60_000,
      message: 'every letter is called back',
    })
  }

  await check()
  for (const [number, step] of steps.slice(1).entries()) {
    // The processes take turns: one has the settings of this step, and the other those of the step before.
    const place = number % 2
    await processes[place]!.stop()
    if (step.name === 'without the old') await untilNone(processes[1 - place]!, 'with_previous_key')
    processes[place] = await start(place, step)
    await check()
  }
  await untilNone(processes[0]!, 'unreadable')
  expect(new Set(receiver.calls.map(({ id }) => id)).size).toBe(letters)
})

const places = [
  'signing-key',
  'callback-secret',
  'test-callback',
  'print-job-callback',
  'search-key',
]
/** Waits until no place has such a value. */
async function untilNone(process: Despatch, what: What): Promise<void> {
  await eventually(
    async () => {
      const found = await sealedValues(process, what)
      return places.every((place) => found[place] === 0)
    },
    { deadlineMs: 90_000, pollMs: 500, message: `sealed_values_${what} is 0 everywhere` },
  )
}

type What = 'with_previous_key' | 'unreadable'

/** Reads a metric of the administration service, by place. */
async function sealedValues(
  { credentials: { opsUrl } }: Despatch,
  what: What,
): Promise<Record<string, number>> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text()
  const lines = metrics.matchAll(
    new RegExp(`^sealed_values_${what}{place="([\\w-]+)".*} (\\d+)`, 'gm'),
  )
  return Object.fromEntries([...lines].map(([, place, count]) => [place!, Number(count)]))
}
