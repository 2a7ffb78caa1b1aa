import { itemEventsPerCallMax, type ProviderSimulatorConfig } from './config.ts'
import type { CrashPoint } from './crash-points.ts'
import type { FailureRates } from './decide-document.ts'

/** How the factory works. By default it makes no errors. */
export type FloorSettings = {
  printTimeMs: number
  leaseSeconds: number | undefined
  failureRates: FailureRates
  reporting: EventReporting
  crashAt: readonly CrashPoint[]
}

/** How the factory reports item events. */
export type EventReporting = {
  seed: string
  eventsPerCall: number
  duplicateRate: number
  isShuffled: boolean
}

export function readFloorSettings(config: ProviderSimulatorConfig): FloorSettings {
  const seed = config.DESPATCH_SIMULATOR_SEED ?? 'despatch'
  return {
    printTimeMs: config.DESPATCH_PROVIDER_PRINT_TIME_MS,
    leaseSeconds: config.DESPATCH_SIMULATOR_LEASE_SECONDS,
    failureRates: {
      seed,
      refusalRate: config.DESPATCH_SIMULATOR_REFUSAL_RATE ?? 0,
      spoilRate: config.DESPATCH_SIMULATOR_SPOIL_RATE ?? 0,
      failRate: config.DESPATCH_SIMULATOR_FAIL_RATE ?? 0,
      divertRate: config.DESPATCH_SIMULATOR_DIVERT_RATE ?? 0,
      returnRate: config.DESPATCH_SIMULATOR_RETURN_RATE ?? 0,
    },
    reporting: {
      seed,
      eventsPerCall: config.DESPATCH_SIMULATOR_EVENTS_PER_CALL ?? itemEventsPerCallMax,
      duplicateRate: config.DESPATCH_SIMULATOR_EVENT_DUPLICATE_RATE ?? 0,
      isShuffled: config.DESPATCH_SIMULATOR_EVENT_SHUFFLE ?? false,
    },
    crashAt: config.DESPATCH_SIMULATOR_CRASH_AT ?? [],
  }
}
