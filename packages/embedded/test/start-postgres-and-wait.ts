import { startPostgres } from '../src/postgres.ts'

// A process of its own, for tests that kill it: tells the address, then waits to be killed.
const { url } = await startPostgres({ directory: process.argv[2] ?? '' })
process.stdout.write(`${url}\n`)
setInterval(() => {}, 60_000)
