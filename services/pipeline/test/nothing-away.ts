import { createMetrics } from '@despatch/telemetry/metrics'
import { type Outages, watchOutages } from '../src/outages.ts'

/** Watches nothing, so that nothing is ever away. */
export const nothingAway: Outages = watchOutages([], { registry: createMetrics('pipeline') })
