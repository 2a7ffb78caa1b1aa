import { setTimeout as pause } from 'node:timers/promises'
import { movesLetters, recordsCalls } from '../ground/requests.ts'
import type { Member } from '../ground/start-fleet.ts'
import type { World } from '../run-under-faults.ts'
import { strikeAt } from './blows.ts'
import { NotStruck, type Scenario } from './scenario.ts'

/** Slightly less than the server's limit for an idle transaction. */
const lateMsMax = 9_000
/** Longer than the lease of a callback. */
const lateCallMsMax = 26_000
/** Longer than the lease of a callback, the lock of a queue and the queue's interval for stalled tasks. */
const frozenMs = 22_000
/** More than the number of batches in which the letters of one write are taken over. */
const heldAtOnceMax = 20
/** On a busy machine the other process may be too late for a write. Then the next one is frozen. */
const frozenWritesMax = 5
/** The late write is done before the other process continues. */
const settleMs = 1_000
const lookEveryMs = 100

/** Waits until another process has taken over a row that the write concerns. Returns false if the time is up. */
async function isTakenOver(
  { database }: World,
  { bytes, by, msMax }: { bytes: Buffer; by: Member; msMax: number },
): Promise<boolean> {
  const keys = keysIn(bytes)
  const { rows: last } = await database.pool.query<{ id: number }>(
    'select coalesce(max(id), 0) as id from faults.change',
  )
  const until = performance.now() + msMax
  while (performance.now() < until) {
    const { rows } = await database.pool.query(
      `select from faults.change where key = any ($1::uuid[]) and lease_after is not null
         and (kind = 'print_job' or epoch_after > epoch_before) and writer like $2 || '.%' and id > $3 limit 1`,
      [keys, by.name, last[0]!.id],
    )
    if (rows.length > 0) return true
    await pause(lookEveryMs)
  }
  return false
}

function keysIn(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []
}

/** Freezes writes of a pipeline until one arrives when another pipeline has taken its letters over. */
async function writeLate(world: World, late: Member, other: Member): Promise<void> {
  for (let frozen = 0; frozen < frozenWritesMax; frozen += 1) {
    if (await freezeWrite(world, late, other)) return
  }
  throw new NotStruck(`${other.name} has taken no letter of ${late.name}`)
}

/**
 * Freezes a pipeline that is about to move letters. Its write arrives when another pipeline has taken the letters over
 * but has not moved them yet. Only the epoch tells the two apart. Returns false if the other was too late.
 */
async function freezeWrite(world: World, late: Member, other: Member): Promise<boolean> {
  let isOvertaken = false
  const released = Promise.withResolvers<void>()
  const hold = async () => {
    await released.promise
    return 'pass' as const
  }
  await strikeAt(world, late, {
    name: 'frozen before a write',
    at: 'before-request',
    request: movesLetters,
    act: async (bytes) => {
      // otherwise it would renew its leases
      late.freeze()
      const keys = keysIn(bytes)
      // no other letters: the batches that wait would leave no worker for those that are taken over
      const request = (theirs: Buffer) =>
        movesLetters(theirs) && keys.some((key) => theirs.includes(key, 0, 'latin1'))
      for (let held = 0; held < heldAtOnceMax; held += 1) {
        void other.links.database.stopAt({ at: 'before-request', request, act: hold })
      }
      isOvertaken = await isTakenOver(world, { bytes, by: other, msMax: lateMsMax })
      // its COMMIT follows only after it resumes
      late.thaw()
      setTimeout(released.resolve, settleMs)
      return 'pass'
    },
  })
  await released.promise
  return isOvertaken
}

/** Does the same with a deliverer: its record of a call arrives while another deliverer repeats that call. */
async function recordLate(world: World, late: Member, other: Member): Promise<void> {
  await strikeAt(world, late, {
    name: 'a record of a call is late',
    at: 'before-request',
    request: recordsCalls,
    act: async (bytes) => {
      await isTakenOver(world, { bytes, by: other, msMax: lateCallMsMax })
      return 'pass'
    },
  })
}

export const workerFrozen: Scenario = {
  number: 6,
  name: 'a write arrives when its lease has expired and another worker has taken over; then processes freeze for longer',
  holds: 'I4 I7; a late write changes no row',
  queues: 'each',
  plan: {
    lettersPerSecond: 3,
    // a call must be under way when the late record arrives
    receivers: [{ answer: () => ({ status: 204, delayMs: 500 }) }],
    strike: async (world) => {
      const [late, other] = world.fleet.pipelines
      const [deliverer, otherDeliverer] = world.fleet.deliverers
      await Promise.all([
        writeLate(world, late!, other!),
        recordLate(world, deliverer!, otherDeliverer!),
      ])
      await world.blow('a pipeline and a deliverer frozen', async () => {
        for (const member of [other!, otherDeliverer!]) member.freeze()
        await world.pause(frozenMs)
        for (const member of [other!, otherDeliverer!]) member.thaw()
        world.noteThaw()
      })
    },
  },
}
