import type { Failpoint } from '@despatch/testing/tcp-proxy'
import type { Dependency } from '../ground/open-ground.ts'
import type { Member } from '../ground/start-fleet.ts'
import type { World } from '../run-under-faults.ts'

/** How long a moment is waited for while nothing moves on, in milliseconds. */
export const momentMsMax = 300_000
/** How long a moment is waited for, however much moves on: a busy machine leaves little for the process it concerns. */
const momentsMsMax = 4 * momentMsMax

type Moment = Pick<Failpoint, 'at' | 'request' | 'isComplete'> & { on?: Dependency }

/** Does something to a process at an exact moment of one of its conversations, and waits until the process is back. */
export async function strikeAt(
  world: World,
  member: Member,
  { name, on = 'database', act, ...moment }: Moment & { name: string; act: Failpoint['act'] },
): Promise<void> {
  const what = `${member.name}: ${name}`
  const waiting = new AbortController()
  const reached = member.links[on].stopAt({
    ...moment,
    act: (bytes) => {
      waiting.abort()
      return world.blow(what, () => act(bytes))
    },
  })
  await Promise.race([reached, tooLate(world, what, waiting.signal)])
  await member.untilBack()
}

/** Rejects if the moment does not come in time. */
async function tooLate({ watch }: World, what: string, reached: AbortSignal): Promise<never> {
  const late = AbortSignal.any([watch.stalled(momentMsMax), AbortSignal.timeout(momentsMsMax)])
  await new Promise((resolve) => late.addEventListener('abort', resolve, { once: true }))
  if (reached.aborted) return new Promise(() => {})
  throw new Error(`The moment never came: ${what}`)
}

/** Kills a process at an exact moment, and waits until it is back. */
export function killAt(
  world: World,
  member: Member,
  moment: Moment & { name: string },
): Promise<void> {
  const act = async () => {
    await member.kill()
    return 'cut' as const
  }
  return strikeAt(world, member, { ...moment, act })
}

const gapMs = { min: 300, max: 1_500 }

/** Kills random members, one after another, for `forMs` milliseconds. Settles when all are back. */
export async function killInTurn(
  world: World,
  members: readonly Member[],
  { forMs }: { forMs: number },
): Promise<void> {
  const until = performance.now() + forMs
  while (performance.now() < until) {
    const victim = members[Math.floor(world.chance() * members.length)]!
    await victim.untilBack()
    await world.pause(gapMs.min + world.chance() * (gapMs.max - gapMs.min))
    await world.blow(`${victim.name} killed`, () => victim.kill())
  }
  await Promise.all(members.map((member) => member.untilBack()))
}

/** Repeats `act` for `forMs` milliseconds, with a pause of `everyMs` milliseconds. */
export async function again(
  world: World,
  { forMs, everyMs }: { forMs: number; everyMs: number },
  act: () => Promise<void>,
): Promise<void> {
  const until = performance.now() + forMs
  while (performance.now() < until) {
    await act()
    await world.pause(everyMs)
  }
}
