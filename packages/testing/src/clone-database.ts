import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { startTcpProxy } from './tcp-proxy.ts'
import { copyTemplateDatabase, dropDatabase } from './template-database.ts'

export type TestDatabase = {
  url: string
  /** For the service under test. In the project `lost-replies` the reply to each of its writes is lost. */
  serviceUrl: string
  drop(): Promise<void>
}

declare module 'vitest' {
  interface ProvidedContext {
    losesReplies?: boolean
  }
}

/** Creates a new, migrated database for one test file, with the queues' tables. Dropping it ends all sessions on it. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const { postgresUrl } = inject('infra')
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = await copyTemplateDatabase(postgresUrl, name)
  if (!inject('losesReplies')) {
    return { url, serviceUrl: url, drop: () => dropDatabase(postgresUrl, name) }
  }
  const proxy = await startTcpProxy({ port: Number(new URL(url).port) })
  proxy.loseReplies({ request: isWrite })
  const drop = async () => {
    await proxy.close()
    await dropDatabase(postgresUrl, name)
  }
  return { url, serviceUrl: proxy.through(url), drop }
}

/**
 * Detects a write by its text or by the name of its prepared statement. Taking callbacks is excluded: a lost reply
 * would cost the duration of the leases, and an attempt that counts as interrupted.
 */
function isWrite(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (/callbacks-(hold|ahead|promote|lost|probe|record-lost)/.test(text)) return false
  return /insert into|update "|update [a-z_]+ |delete from|save-submission|insert-enquiries|callbacks-record/i.test(
    text,
  )
}
