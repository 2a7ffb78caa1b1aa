import { createAuthenticator } from '@despatch/access/authenticate-caller'
import { createApi } from '@despatch/http/api'
import { openDatabase } from '@despatch/store/database'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'

/** A route that answers immediately, with or without the check of token and API key. */
const { DATABASE_URL, CHECKED, PORT } = process.env
const name = 'bench'
const { db } = openDatabase(DATABASE_URL!, { name, connectionsMax: 4 })
const api = await createApi({
  name,
  prefix: '/bench',
  log: createLogger({ service: name, level: 'warn' }),
  metrics: createMetrics(name),
  bodyBytesMax: 1024,
  openapi: { title: name, description: name, version: '1.0.0' },
  renderProblem: ({ message }) => ({ status: 401, body: { detail: message } }),
  renderFault: (errorId) => ({ status: 500, body: { detail: errorId } }),
  ...(CHECKED === 'yes' && {
    authenticate: createAuthenticator({ db, role: 'consumer', service: 'print-request' }),
  }),
})
api.post('/bench/v1/route', async () => ({ status: 'ok' }))
await api.listen({ host: '127.0.0.1', port: Number(PORT) })
