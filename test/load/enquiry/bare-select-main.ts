import Fastify from 'fastify'
import pg from 'pg'

/** The rival of an enquiry: a route that only finds the answer by one SELECT on an index and sends it. */
const { DATABASE_URL, CONNECTIONS_MAX, PORT, TABLE, MEMBER } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(CONNECTIONS_MAX) })
const api = Fastify()

api.post<{ Body: Record<string, string> }>('/enquiries', async (request, reply) => {
  const { rows } = await pool.query<{ answer: object }>({
    name: 'select',
    text: `select answer from ${TABLE} where number = $1`,
    values: [request.body[MEMBER!]],
  })
  if (!rows[0]) return reply.code(404).send()
  return rows[0].answer
})

await api.listen({ host: '127.0.0.1', port: Number(PORT) })
