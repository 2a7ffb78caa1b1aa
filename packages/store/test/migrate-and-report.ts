import { json } from 'node:stream/consumers'
import { type Migration, migrate } from '@despatch/store/migrate'

// A separate process, for tests that kill it. It applies the migrations that it reads from standard input.
await migrate(process.argv[2] ?? '', { migrations: (await json(process.stdin)) as Migration[] })
