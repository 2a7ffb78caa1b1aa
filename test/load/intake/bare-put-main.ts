import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { openObjects } from '../open-objects.ts'

/** The rival of intake of files: a route that only parses, decodes and puts the bytes into the store. */
const bodyBytesMax = 12 * 1024 * 1024
const objects = openObjects(process.env)
const api = Fastify({ bodyLimit: bodyBytesMax })

api.post<{ Body: { customParams: { value: string }[] } }>('/jobs', async (request, reply) => {
  const bytes = Buffer.from(request.body.customParams[0]!.value, 'base64')
  const id = randomUUID()
  await objects.put(`bare/${id}`, bytes, 'application/pdf')
  return reply.code(202).send({ id })
})

await api.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
