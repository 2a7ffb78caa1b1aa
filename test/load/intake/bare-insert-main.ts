import Fastify from 'fastify'
import pg from 'pg'

/** The rival of intake: a route that only inserts the body by one INSERT. */
const { DATABASE_URL, CONNECTIONS_MAX, PORT } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(CONNECTIONS_MAX) })
const api = Fastify()

api.post('/jobs', async (request, reply) => {
  const { rows } = await pool.query<{ id: number }>({
    name: 'insert',
    text: 'insert into bench.bare_job (body) values ($1) returning id',
    values: [request.body],
  })
  return reply.code(202).send({ id: rows[0]!.id })
})

await api.listen({ host: '127.0.0.1', port: Number(PORT) })
