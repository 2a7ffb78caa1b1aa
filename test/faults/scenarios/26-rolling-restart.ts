import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@despatch/testing/eventually'
import { requestsOf } from '../checks/check-clients.ts'
import type { RunFacts } from '../checks/check-run.ts'
import type { Finding } from '../checks/finding.ts'
import type { Member } from '../ground/start-fleet.ts'
import type { World } from '../run-under-faults.ts'
import { momentMsMax } from './blows.ts'
import type { Scenario } from './scenario.ts'

const lookEveryMs = 20
/** The processes behind the load balancer that ended without having said that they stop. */
const unannounced = new WeakMap<World, string[]>()

/** Stops a process by SIGTERM, and waits until its successor is in service. */
export async function restart(world: World, member: Member): Promise<void> {
  const { gateway } = world.fleet.printing!
  const wasRouted = gateway.isRouted(member.url())
  const ended = new AbortController()
  const announcing = saysThatItStops(member.url(), ended.signal)
  await world.blow(`${member.name} restarted`, () => member.kill('SIGTERM'))
  ended.abort()
  if (!(await announcing) && wasRouted) {
    unannounced.set(world, [...(unannounced.get(world) ?? []), member.name])
  }
  await member.untilBack()
  await eventually(
    async () => {
      if (wasRouted) return gateway.isRouted(member.url())
      const { ok } = await fetch(`${member.url()}/health/ready`)
      return ok
    },
    { deadlineMs: momentMsMax, message: `${member.name} is ready again` },
  )
}

/** Whether a process is not ready any more, while it still answers, before it has ended. */
async function saysThatItStops(url: string, ended: AbortSignal): Promise<boolean> {
  while (!ended.aborted) {
    const status = await fetch(`${url}/health/ready`, { signal: ended }).then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status === 503) return true
    await pause(lookEveryMs, undefined, { signal: ended }).catch(() => {})
  }
  return false
}

/** Finds what a caller notices. Every answer must be the expected one, and no receiver may be called twice. */
export function findNoticed(world: World, { clients, deliveries }: RunFacts): Finding[] {
  const silent = (unannounced.get(world) ?? []).map((subject) => ({
    rule: 'a process that stops says so',
    subject,
    detail: 'was ready until it ended',
  }))
  const failed = world.fleet.printing!.gateway.failures().map((failure) => ({
    rule: 'no request fails',
    subject: failure,
    detail: 'at the load balancer',
  }))
  const refused = requestsOf(clients)
    .filter(({ type }) => type !== 'ok')
    .map(({ id, operation, status }) => ({
      rule: 'no request fails',
      subject: id,
      detail: `${operation} was answered ${status ?? 'nothing'}`,
    }))
  const accepted = deliveries.calls.filter(({ isAccepted }) => isAccepted)
  const twice = [...Map.groupBy(accepted, ({ id }) => id)]
    .filter(([, calls]) => calls.length > 1)
    .map(([id, calls]) => ({
      rule: 'no callback comes twice',
      subject: id,
      detail: `came ${calls.length} times`,
    }))
  return [...silent, ...failed, ...refused, ...twice]
}

/** How long a stopping process still answers, so that the load balancer notices. */
export const stopSettings = { DESPATCH_STOP_DELAY_MS: '2000' }

export const rollingRestart: Scenario = {
  number: 26,
  name: 'every process is restarted in turn by SIGTERM, behind a load balancer that checks readiness',
  holds: 'I1 I3 I4 I5; no request fails, and no callback comes twice',
  queues: 'each',
  isOnce: true,
  plan: {
    isBalanced: true,
    lettersPerSecond: 4,
    settings: stopSettings,
    strike: async (world) => {
      for (const member of world.fleet.members) await restart(world, member)
    },
    judge: findNoticed,
  },
}
