import Fastify from 'fastify'
import { createWriteStream } from 'node:fs'
import { createApi } from '../src/api.ts'
import { createLogger } from '@despatch/telemetry/logger'
import { createMetrics } from '@despatch/telemetry/metrics'
const body = JSON.stringify({ id: 'a', name: 'x'.repeat(500) })
const bare = Fastify()
bare.post('/t/v1/t', async (_r, reply) => reply.code(202).send({ id: 'a' }))
const { z } = await import('zod')
const caller = { consumerId: 'c', apiKeyHash: Buffer.alloc(32), roles: ['consumer'] as const }
const api = await createApi({ name: 't', prefix: '/t', log: createLogger({ service: 't', destination: createWriteStream('/dev/null') }), metrics: createMetrics('t'), bodyBytesMax: 1e6, openapi: { title: 't', description: '', version: '1' }, renderProblem: () => ({ status: 400, body: {} }), renderFault: () => ({ status: 500, body: {} }), authenticate: async () => caller })
api.route({ method: 'POST', url: '/t/v1/t', schema: { body: z.object({ id: z.string(), name: z.string() }), response: { 202: z.object({ id: z.string() }) } }, handler: async (_r, reply) => reply.code(202).send({ id: 'a' }) })
const a = await bare.listen({ port: 0 }); const b = await api.listen({ port: 0 })
async function run(u: string, n: number) {
  const t = process.cpuUsage()
  const one = async () => { for (let i = 0; i < n; i++) { const r = await fetch(`${u}/t/v1/t`, { method: 'POST', body, headers: { 'content-type': 'application/json' } }); await r.text() } }
  await Promise.all([one(), one(), one(), one()])
  const d = process.cpuUsage(t); return (d.user + d.system) / (n * 4)
}
for (let k = 0; k < 4; k++) console.log('bare us', (await run(a, 1500)).toFixed(1), 'api us', (await run(b, 1500)).toFixed(1))
await bare.close(); await api.close()
