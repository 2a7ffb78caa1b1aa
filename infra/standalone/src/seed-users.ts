import { seedConsumer } from '@despatch/access/seed'
import { refusalTerms } from '@despatch/domain/contract/refusal-term'
import { insertProvider } from '@despatch/store/access/consumers'
import { openDatabase } from '@despatch/store/database'
import type { Users } from './credentials.ts'

const providerId = 'demo-provider'
/** As in every new contract. */
const refusing = { unreadableFiles: refusalTerms.unreadableFiles }

/** Creates the demonstration's consumer, provider and operator unless they exist. Safe to repeat. */
export async function seedUsers(databaseUrl: string, users: Users): Promise<void> {
  const { db, close } = openDatabase(databaseUrl, { name: 'seed', connectionsMax: 1 })
  try {
    await insertProvider(db, {
      id: providerId,
      name: 'Demonstration print factory',
      printLocations: ['demo-site'],
    })
    await seedConsumer(db, {
      ...users.consumer,
      name: 'Demonstration consumer',
      email: 'demo-consumer@despatch.example',
      roles: ['consumer'],
      services: ['print-request', 'vehicle-enquiry', 'full-driver-enquiry', 'driver-find'],
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
    await seedConsumer(db, {
      ...users.provider,
      name: 'Demonstration print factory',
      roles: ['provider'],
      providerId,
      contracts: [],
    })
    await seedConsumer(db, {
      ...users.operator,
      name: 'Demonstration operator',
      roles: ['operator', 'admin'],
      contracts: [],
    })
  } finally {
    await close()
  }
}
