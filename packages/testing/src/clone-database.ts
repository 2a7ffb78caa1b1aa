import { randomBytes } from 'node:crypto'
import type { DatabaseService } from '@despatch/postgres/service-roles'
import { inject } from 'vitest'
import { asService } from './service-logins.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import { copyTemplateDatabase, dropDatabase } from './template-database.ts'

export type TestDatabase = {
  url: string
  /**
   * Returns the address for the service under test, with its own role. In the project `lost-replies`, the reply to each
   * of its writes is lost.
   */
  serviceUrl(service: DatabaseService): string
  drop(): Promise<void>
}

declare module 'vitest' {
  interface ProvidedContext {
    losesReplies?: boolean
  }
}

/**
 * Creates a migrated database for one test file, with the queues' tables. `drop` also ends the sessions that are still
 * open on it.
 */
export async function cloneDatabase(): Promise<TestDatabase> {
  const { postgresUrl } = inject('infra')
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = await copyTemplateDatabase(postgresUrl, name)
  if (!inject('losesReplies')) {
    return {
      url,
      serviceUrl: (service) => asService(url, service),
      drop: () => dropDatabase(postgresUrl, name),
    }
  }
  const proxy = await startTcpProxy({ port: Number(new URL(url).port) })
  proxy.loseReplies({ request: isWrite })
  const drop = async () => {
    await proxy.close()
    await dropDatabase(postgresUrl, name)
  }
  return { url, serviceUrl: (service) => asService(proxy.through(url), service), drop }
}

/**
 * Recognises a write by its text, or by the name of a prepared statement. Excludes taking callbacks: its lost reply
 * delays them until the leases expire, and an attempt counts as interrupted.
 */
function isWrite(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (/callbacks-(lease|ahead|promote|lost|probe|record-lost)/.test(text)) return false
  return /insert into|update "|update [a-z_]+ |delete from|save-submission|insert-enquiries|callbacks-record/i.test(
    text,
  )
}
