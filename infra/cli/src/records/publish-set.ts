import { setTimeout as pause } from 'node:timers/promises'
import type { RecordSetResponse } from '@despatch/contracts/administration/record-set'
import { Failure } from '../failure.ts'
import type { Session } from '../session.ts'

const pollMs = 250
const attemptsMax = 3

/** Publishes a set and waits until it is current. Throws a Failure if it does not become current. */
export async function publishSet(
  { send }: Session,
  recordSetId: string,
  signal: AbortSignal,
): Promise<RecordSetResponse> {
  const path = `/record-sets/${recordSetId}`
  let set = await send<RecordSetResponse>('POST', `${path}/publish`)
  for (let attempt = 1; set.state === 'PUBLISHING'; ) {
    await pause(pollMs, undefined, { signal })
    set = await send<RecordSetResponse>('GET', path)
    if (set.publishing !== 'broken-off') continue
    // A request just made may not have begun yet.
    attempt += 1
    if (attempt > attemptsMax) throw brokenOff()
    set = await send<RecordSetResponse>('POST', `${path}/publish`)
  }
  if (set.state === 'CURRENT') return set
  throw new Failure(`record set ${recordSetId} is ${set.state}`, { exitCode: 1 })
}

function brokenOff(): Failure {
  return new Failure(
    'the set could not be published: the log of the administration service says why. Retry with the same command',
    { exitCode: 1 },
  )
}
