import { json } from 'node:stream/consumers'
import { type Migration, migrate } from '@despatch/store/migrate'

// A process of its own, for tests that kill it: migrates by the migrations that it reads.
await migrate(process.argv[2] ?? '', { migrations: (await json(process.stdin)) as Migration[] })
