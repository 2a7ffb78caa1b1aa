import type { EnquiredDriver } from '@despatch/contracts/full-driver-enquiry/render-response'
import { Problem } from '@despatch/domain/problem'
import { driverScenario, type SourceBehaviour } from '@despatch/uat-scenarios/driver-scenarios'
import type { DriverSources, SourceAnswer } from './source-answer.ts'

/** The origin of the data for an enquiry. */
export type DriverFacts = {
  findDriver: (drivingLicenceNumber: string) => Promise<EnquiredDriver | undefined>
  sources: DriverSources
}

/**
 * Adds the predefined numbers of the test environment, which take precedence over the real data. Their sources are not
 * called and behave as the scenario says. The decision whether a response without their data is sent is the same as for
 * any driver.
 */
export function withPredefinedDrivers(real: DriverFacts, now: () => Date): DriverFacts {
  const recordOf = (number: string) => {
    const outcome = driverScenario(number)?.outcome
    if (outcome?.kind !== 'record') return undefined
    return { ...outcome, driver: outcome.record(now()) }
  }
  return {
    async findDriver(number) {
      const scenario = driverScenario(number)
      if (!scenario) return real.findDriver(number)
      const { outcome } = scenario
      switch (outcome.kind) {
        case 'record':
          return outcome.record(now())
        case 'problem':
          throw new Problem(outcome.problem, outcome.detail)
        case 'fault':
          throw new Error('The scenario of this number is a fault')
      }
    },
    sources: {
      async cpc(number, correlationId) {
        const found = recordOf(number)
        if (!found) return real.sources.cpc(number, correlationId)
        const { cpcs = [], testPass } = found.driver
        return behave(found.cpc, { cpcs, ...(testPass && { testPass }) })
      },
      async tachograph(number, correlationId) {
        const found = recordOf(number)
        if (!found) return real.sources.tachograph(number, correlationId)
        const { tachoCards = [], tachoUnderPreviousDln: under } = found.driver
        return behave(found.tachograph, {
          tachoCards,
          ...(under !== undefined && { tachoUnderPreviousDln: under }),
        })
      },
    },
  }
}

function behave<Data>(behaviour: SourceBehaviour, data: Data): SourceAnswer<Data> {
  const reason = 'scenario'
  switch (behaviour) {
    case 'answers':
      return { kind: 'answered', data }
    case 'fails':
      return { kind: 'failed', reason }
    case 'unavailable':
      return { kind: 'unavailable', reason }
    case 'times-out':
      return { kind: 'timed-out', reason }
  }
}
