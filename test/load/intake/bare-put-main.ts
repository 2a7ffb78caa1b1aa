import { randomUUID } from 'node:crypto'
import { openObjectStore } from '@despatch/object-store/object-store'
import Fastify from 'fastify'

/** The rival of intake of files: a route that only parses, decodes and puts the bytes into the store. */
const { PORT, S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = process.env
const bodyBytesMax = 12 * 1024 * 1024
const objects = openObjectStore({
  endpoint: S3_ENDPOINT!,
  region: 'eu-west-2',
  bucket: S3_BUCKET!,
  accessKeyId: S3_ACCESS_KEY_ID!,
  secretAccessKey: S3_SECRET_ACCESS_KEY!,
})
const api = Fastify({ bodyLimit: bodyBytesMax })

api.post<{ Body: { customParams: { value: string }[] } }>('/jobs', async (request, reply) => {
  const bytes = Buffer.from(request.body.customParams[0]!.value, 'base64')
  const id = randomUUID()
  await objects.put(`bare/${id}`, bytes, 'application/pdf')
  return reply.code(202).send({ id })
})

await api.listen({ host: '127.0.0.1', port: Number(PORT) })
