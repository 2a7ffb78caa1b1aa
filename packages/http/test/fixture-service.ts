import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
import { createApi } from '../src/api.ts'
import { registerHealth } from '../src/health.ts'
import { runService } from '../src/run-service.ts'

await runService({
  name: 'fixture',
  readConfig: () => ({
    HOST: '127.0.0.1',
    PORT: Number(process.argv[2]),
    DESPATCH_STOP_DELAY_MS: Number(process.argv[3]),
  }),
  create: async () => {
    const metrics = createMetrics('fixture')
    const api = await createApi({
      name: 'fixture',
      prefix: '/fixture',
      log: createLogger({ service: 'fixture' }),
      metrics,
      bodyBytesMax: 1_000,
      openapi: { title: 'Fixture', description: '', version: '1.0.0' },
      renderProblem: () => ({ status: 400, body: {} }),
      renderFault: () => ({ status: 500, body: {} }),
    })
    registerHealth(api, { ready: async () => [], metrics })
    const started = Promise.withResolvers<void>()
    api.route({
      method: 'GET',
      url: '/fixture/v1/slow',
      handler: async (request) => {
        request.log.info('slow.started')
        await started.promise
        return { done: true }
      },
    })
    const close = async () => {
      started.resolve()
      await api.close()
    }
    return { name: 'fixture', api, ready: async () => [], close }
  },
})
