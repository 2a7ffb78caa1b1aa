import { startPostgres } from '../src/postgres.ts'

// A separate process for tests that kill it: prints the address, then waits to be killed.
const { url } = await startPostgres({ directory: process.argv[2] ?? '' })
process.stdout.write(`${url}\n`)
setInterval(() => {}, 60_000)
