import { setTimeout as pause } from 'node:timers/promises'
import { administrationPath } from '@despatch/contracts/administration/paths'
import type {
  LoadedRowsResponse,
  RecordSetResponse,
  RecordSetsResponse,
} from '@despatch/contracts/administration/record-set'
import type { RecordFile } from './records/sample-records.ts'
import type { Screen } from './screen/screen.ts'
import type { Session } from './users/session.ts'

type Import = {
  session: Session
  files: readonly RecordFile[]
  screen: Screen
  signal: AbortSignal
  /** Pause between two reads of a set that is being published, in milliseconds. */
  pollIntervalMs?: number
}

const recordSetsPath = `${administrationPath}/record-sets`
const attemptsMax = 40
const listedMax = 100

/**
 * Acts as the operator: loads the files as new sets and publishes them. If there are records of another origin, as in a
 * kept data directory, it leaves them unchanged and returns false.
 */
export async function importRecords({
  session,
  files,
  screen,
  signal,
  pollIntervalMs = 50,
}: Import): Promise<boolean> {
  const plans = await Promise.all(files.map((file) => planImport(session, file)))
  if (plans.includes('leave')) {
    screen.say('operator', 'leaves the records alone that are here: they are not of the demo')
    return false
  }
  const missing = files.filter((_file, index) => plans[index] === 'import')
  await Promise.all(missing.map((file) => importFile(session, file, { signal, pollIntervalMs })))
  const counts = files.map(({ kind, count }) => `${count.toLocaleString('en-GB')} ${kind}s`)
  const did = missing.length > 0 ? 'imported' : 'had imported'
  screen.say('operator', `${did} ${counts.join(' and ')}, all of them made up`)
  return true
}

async function planImport(
  session: Session,
  { kind, sha256 }: RecordFile,
): Promise<'import' | 'keep' | 'leave'> {
  const path = `${recordSetsPath}?kind=${kind}&limit=${listedMax}`
  const { recordSets } = (await session.expect(200, { path })).body as RecordSetsResponse
  const isOurs = (set: RecordSetResponse) => set.sourceSha256 === sha256 && set.mode === 'replace'
  const current = recordSets.find(({ state }) => state === 'CURRENT')
  if (current) return isOurs(current) ? 'keep' : 'leave'
  const unfinished = recordSets.find(({ state }) => state === 'LOADING' || state === 'PUBLISHING')
  return unfinished && !isOurs(unfinished) ? 'leave' : 'import'
}

type Waiting = { signal: AbortSignal; pollIntervalMs: number }

async function importFile(
  session: Session,
  { kind, sha256, lines, count }: RecordFile,
  waiting: Waiting,
): Promise<void> {
  const { recordSetId, state } = await begin(session, { kind, sourceSha256: sha256 })
  const path = `${recordSetsPath}/${recordSetId}`
  if (state === 'LOADING') {
    const rows = { method: 'POST', path: `${path}/rows?fromRow=0`, lines } as const
    const loaded = (await session.expect(200, rows)).body as LoadedRowsResponse
    if (loaded.accepted !== count) {
      const [reject] = loaded.rejected
      throw new Error(
        `${loaded.accepted} of ${count} ${kind}s were taken; row ${reject?.row}: ${reject?.reasons}`,
      )
    }
  }
  await publish(session, path, waiting)
}

/** An interrupted set is continued: 200. */
async function begin(
  session: Session,
  source: { kind: string; sourceSha256: string },
): Promise<RecordSetResponse> {
  const body = { ...source, mode: 'replace' }
  const request = { method: 'POST', path: recordSetsPath, body } as const
  return (await session.expect([200, 201], request)).body as RecordSetResponse
}

/** Requests the publication again if it is not under way, because a request just made may not have begun yet. */
async function publish(
  session: Session,
  path: string,
  { signal, pollIntervalMs }: Waiting,
): Promise<void> {
  const ask = () => session.expect([200, 202], { method: 'POST', path: `${path}/publish` })
  let set = (await ask()).body as RecordSetResponse
  for (let attempt = 1; set.state === 'PUBLISHING'; ) {
    await pause(pollIntervalMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    set = (await session.expect(200, { path })).body as RecordSetResponse
    if (set.publishing !== 'broken-off') continue
    attempt += 1
    if (attempt > attemptsMax) throw new Error('a set of records could not be published')
    set = (await ask()).body as RecordSetResponse
  }
  if (set.state !== 'CURRENT') throw new Error(`a set of records is ${set.state}, not CURRENT`)
}
