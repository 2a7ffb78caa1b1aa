import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@despatch/telemetry/logger'
import { eventually } from '@despatch/testing/eventually'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import type { ProviderSimulatorConfig } from '../src/config.ts'
import type { CrashPoint } from '../src/floor/crash-points.ts'
import { floorSchema } from '../src/floor/settings.ts'
import type { ProductionEvent } from '../src/print-run/production.ts'
import {
  createProviderSimulator,
  type ProviderSimulator,
  type ProviderSimulatorOptions,
} from '../src/service.ts'
import { startFakeGateway } from './fake-gateway.ts'

type StartSettings = Partial<ProviderSimulatorConfig> & { floor?: z.input<typeof floorSchema> }

/** A factory with its own directory and a gateway. The end of the test removes both. */
export async function aFactory() {
  const gateway = await startFakeGateway()
  const directory = await mkdtemp(join(tmpdir(), 'provider-simulator-'))
  const events: ProductionEvent[] = []
  const crashes: CrashPoint[] = []
  let simulator: ProviderSimulator | undefined

  async function stop(): Promise<void> {
    await simulator?.close()
    simulator = undefined
  }

  onTestFinished(async () => {
    await stop()
    await gateway.stop()
    await rm(directory, { recursive: true })
  })

  return {
    gateway,
    events,
    crashes,
    stop,
    async start(
      { floor = {}, ...settings }: StartSettings = {},
      options: Pick<ProviderSimulatorOptions, 'outcomeOf'> = {},
    ): Promise<void> {
      const config: ProviderSimulatorConfig = {
        LOG_LEVEL: 'silent',
        DESPATCH_BASE_URL: gateway.url,
        DESPATCH_PROVIDER_USER_NAME: 'factory',
        DESPATCH_PROVIDER_PASSWORD: 'password',
        DESPATCH_PROVIDER_API_KEY: 'key',
        DESPATCH_PROVIDER_DIRECTORY: directory,
        ...settings,
        DESPATCH_SIMULATOR_FLOOR: floorSchema.parse({
          pollIntervalMs: 20,
          printTimeMs: 0,
          ...floor,
        }),
      }
      simulator = await createProviderSimulator(config, {
        log: createLogger({ service: 'provider-simulator', level: 'silent' }),
        onEvent: (event) => events.push(event),
        onCrash: (point) => crashes.push(point),
        ...options,
      })
      simulator.start()
    },
    becomes: (batchNumber: string, state: string) =>
      eventually(() => gateway.runs.get(batchNumber)?.state === state, {
        message: `${batchNumber} is ${state}`,
      }),
    happened: (kind: ProductionEvent['kind']) =>
      eventually(() => events.some((event) => event.kind === kind), {
        message: `something is ${kind}`,
      }),
    /** Returns document and attempt of each line of the print log. */
    async printed(): Promise<string[]> {
      const text = await readFile(join(directory, 'print-log.ndjson'), 'utf8')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { documentId: string; attempt: number })
        .map(({ documentId, attempt }) => `${documentId} ${attempt}`)
        .toSorted()
    },
  }
}
