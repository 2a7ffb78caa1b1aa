import { setTimeout as pause } from 'node:timers/promises'
import { movesLetters, recordsCalls } from '../ground/requests.ts'
import type { Member } from '../ground/start-fleet.ts'
import type { World } from '../run-under-faults.ts'
import { strikeAt } from './blows.ts'
import type { Scenario } from './scenario.ts'

/** A little less than the server lets a transaction rest. */
const lateMsMax = 9_000
/** Longer than the lease of a callback. */
const lateCallMsMax = 26_000
/** Longer than the lease of a callback, the lock of a queue and its search for stalled tasks. */
const frozenMs = 22_000
const turns = [1, 2, 3]
/** More than a process has connections. */
const heldAtOnceMax = 20
/** A write that arrives late is done before the other goes on. */
const settleMs = 500
const lookEveryMs = 100

/** Waits until another process has taken something over that a write is about, or time is up. */
async function untilTakenOver(
  { database }: World,
  { bytes, by, msMax }: { bytes: Buffer; by: Member; msMax: number },
): Promise<void> {
  const keys = bytes.toString('latin1').match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)
  const { rows: last } = await database.pool.query<{ id: number }>(
    'select coalesce(max(id), 0) as id from faults.change',
  )
  const until = performance.now() + msMax
  while (performance.now() < until) {
    const { rows } = await database.pool.query(
      `select from faults.change where key = any ($1::uuid[]) and lease_after is not null
         and epoch_after > epoch_before and writer like $2 || '.%' and id > $3 limit 1`,
      [keys, by.name, last[0]!.id],
    )
    if (rows.length > 0) return
    await pause(lookEveryMs)
  }
}

/**
 * A write of one pipeline arrives when another has taken its letters over and has not moved them yet: only the epoch tells
 * the two apart.
 */
async function writeLate(world: World, late: Member, other: Member): Promise<void> {
  for (const turn of turns) {
    const released = Promise.withResolvers<void>()
    await strikeAt(world, late, {
      name: `a write is late, ${turn}`,
      at: 'before-request',
      request: movesLetters,
      act: async (bytes) => {
        for (let held = 0; held < heldAtOnceMax; held += 1) {
          void other.links.database.stopAt({
            at: 'before-request',
            request: movesLetters,
            act: async () => {
              await released.promise
              return 'pass'
            },
          })
        }
        await untilTakenOver(world, { bytes, by: other, msMax: lateMsMax })
        setTimeout(released.resolve, settleMs)
        return 'pass'
      },
    })
    await released.promise
  }
}

/** The same of a deliverer: its record of a call arrives while another makes that call again. */
async function recordLate(world: World, late: Member, other: Member): Promise<void> {
  await strikeAt(world, late, {
    name: 'a record of a call is late',
    at: 'before-request',
    request: recordsCalls,
    act: async (bytes) => {
      await untilTakenOver(world, { bytes, by: other, msMax: lateCallMsMax })
      return 'pass'
    },
  })
}

export const workerFrozen: Scenario = {
  number: 6,
  name: 'a write arrives after its lease, when another has taken over; then processes are frozen past their leases',
  holds: 'I4 I7; what comes too late changes no row',
  queues: 'each',
  plan: {
    lettersPerSecond: 3,
    // so that a call is under way when the late record arrives
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
