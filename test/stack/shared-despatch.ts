import { randomUUID } from 'node:crypto'
import { seedConsumer } from '@despatch/access/seed'
import { refusalTerms } from '@despatch/domain/contract/refusal-term'
import { openDatabase } from '@despatch/store/database'
import { inject } from 'vitest'
import type { Credential, Credentials } from './start-despatch.ts'

/** As in every new contract. */
const refusing = { unreadableFiles: refusalTerms.unreadableFiles }

type SharedDespatch = { credentials: Credentials; databaseUrl: string; directory: string }

/**
 * Returns the Despatch of the test run, which has a simulated factory. Its consumer belongs to this file alone, and has
 * the contracts of the demonstration's consumer.
 */
export async function sharedDespatch(): Promise<SharedDespatch> {
  const { credentials, databaseUrl, directory } = inject('despatch')
  const id = randomUUID()
  const consumer: Credential = {
    userName: `consumer-${id}`,
    password: `Pa$$word1-${id}`,
    apiKey: id,
  }
  const { db, close } = openDatabase(databaseUrl, { name: 'test', connectionsMax: 1 })
  await seedConsumer(db, {
    ...consumer,
    name: 'A consumer',
    roles: ['consumer'],
    services: ['print-request'],
    contracts: [
      { ...refusing, jobType: 'LETTER', templateReference: 'LETTER', production: 'letter' },
      {
        ...refusing,
        jobType: 'NOTIFY',
        templateReference: 'NOTIFY',
        production: 'as-supplied',
        suppliedFileKey: 'pdfContent',
      },
    ],
  })
  await close()
  return { credentials: { ...credentials, consumer }, databaseUrl, directory }
}
