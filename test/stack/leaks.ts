import { Redis } from 'ioredis'
import pg from 'pg'

/** Whether the text contains a canary, in any case, as text or as the hexadecimal form of its bytes. */
export function hasAny(text: string, canaries: readonly string[]): boolean {
  const lowered = text.toLowerCase()
  return canaries.some(
    (canary) =>
      lowered.includes(canary.toLowerCase()) ||
      lowered.includes(Buffer.from(canary).toString('hex')) ||
      lowered.includes(Buffer.from(canary.toLowerCase()).toString('hex')),
  )
}

/** Reads the whole content of each column of the database. That of partitions is that of their table. */
export async function readColumns(url: string): Promise<{ column: string; text: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public'
       and not (select relispartition from pg_class where oid = quote_ident(table_name)::regclass)`,
  )
  const columns = []
  for (const { table, column } of rows) {
    const { rows: values } = await client.query<{ text: string | null }>(
      `select string_agg(${client.escapeIdentifier(column)}::text, ' ') as text from ${client.escapeIdentifier(table)}`,
    )
    columns.push({ column: `${table}.${column}`, text: values[0]?.text ?? '' })
  }
  await client.end()
  return columns
}

/** Reads the whole content of the queues. */
export async function readQueue(name: string, url: string): Promise<string> {
  if (name === 'redis') return readRedis(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'bullmq'`,
  )
  const texts = []
  for (const { name: table } of tables) {
    const { rows } = await client.query<{ text: string | null }>(
      `select string_agg(row::text, ' ') as text from bullmq.${table} as row`,
    )
    texts.push(rows[0]?.text ?? '')
  }
  await client.end()
  return texts.join('\n')
}

async function readRedis(url: string): Promise<string> {
  const redis = new Redis(url)
  const texts = []
  for (const key of await redis.keys('*')) {
    texts.push(key)
    const type = await redis.type(key)
    if (type === 'hash') texts.push(JSON.stringify(await redis.hgetall(key)))
    if (type === 'string') texts.push((await redis.get(key)) ?? '')
    if (type === 'list') texts.push(...(await redis.lrange(key, 0, -1)))
    if (type === 'zset') texts.push(...(await redis.zrange(key, '0', '-1')))
    if (type === 'set') texts.push(...(await redis.smembers(key)))
    if (type === 'stream') texts.push(JSON.stringify(await redis.xrange(key, '-', '+')))
  }
  redis.disconnect()
  return texts.join('\n')
}
