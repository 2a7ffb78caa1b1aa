import type { Finding } from '../checks/finding.ts'
import { scenarios } from './all-scenarios.ts'
import type { Scenario } from './scenario.ts'

/** Enough for every blow to affect some letters, and few enough for a machine that runs other tests too. */
const lettersPerSecond = 4
/** More than ten seconds of letters. A machine that needs longer for them gets fewer. */
const lettersUnderWayMax = 50
/** For a machine on which each thing takes ten times as long as alone. */
const recoveryMsMax = 400_000
/** Long enough for a worker to renew its leases on such a machine. Otherwise letters look as if they killed workers. */
const leaseSeconds = '5'

/**
 * Combines the cheap scenarios of one queue backend into one run. They share the start, the letters and the verdict. A
 * run that is the only one has those of both backends.
 */
export function smokeOf(queue: 'postgres' | 'redis', { isOnly }: { isOnly: boolean }): Scenario {
  const parts = scenarios.filter(({ smoke }) => smoke !== undefined && (smoke === queue || isOnly))
  return {
    number: 0,
    name: `smoke: ${parts.map(({ number }) => number).join(', ')}`,
    holds: parts.map(({ holds }) => holds).join('; '),
    queues: queue === 'redis' ? 'redis' : 'once',
    plan: {
      settings: { DESPATCH_STEP_LEASE_SECONDS: leaseSeconds },
      lettersPerSecond,
      lettersUnderWayMax,
      deliverers: 1,
      recoveryMsMax,
      strike: async (world) => {
        for (const { number, name, plan } of parts) {
          world.tell(`scenario ${number}: ${name}`)
          await plan.strike(world)
        }
      },
      judge: async (world, facts) => {
        const findings: Finding[] = []
        for (const { plan } of parts) findings.push(...((await plan.judge?.(world, facts)) ?? []))
        return findings
      },
    },
  }
}
