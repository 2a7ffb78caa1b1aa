import { createMetrics } from '@despatch/telemetry/metrics'
import { type Outages, watchOutages } from '../src/watch/outages.ts'

/** Watches no dependency, so that none is ever away. */
export const nothingAway: Outages = watchOutages([], { registry: createMetrics('pipeline') })
